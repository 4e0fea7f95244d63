/**
 * How a command fails: one line on stderr (an object with `--json`) and an
 * exit code by the kind of failure.
 */

import { CommanderError } from 'commander'
import { type ErrorCode, PartitionLogError } from '../errors.js'
import { toJson } from './json.js'

export const EXIT = {
  fine: 0,
  /** What was asked about is not so: damage found, offset out of range. */
  notSo: 1,
  usage: 2,
  /** I/O failed, or the log is locked or was not closed cleanly. */
  io: 3,
  /** Ended by SIGINT or SIGTERM before its work was done. */
  interrupted: 130,
} as const

/** Arguments or input that a command cannot take. */
export class UsageError extends Error {
  readonly code = 'ERR_USAGE'
}

const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  ERR_BACKEND_UNAVAILABLE: EXIT.io,
  ERR_BATCH_TOO_LARGE: EXIT.usage,
  ERR_CLOSED: EXIT.io,
  ERR_CODEC_NOT_LOADED: EXIT.usage,
  ERR_CONFIG_INVALID: EXIT.usage,
  ERR_CONFIG_MISMATCH: EXIT.usage,
  ERR_CORRUPT: EXIT.notSo,
  ERR_DUPLICATE_LOG: EXIT.io,
  ERR_DISK_FULL: EXIT.io,
  ERR_INVALID_BATCH: EXIT.usage,
  ERR_INVALID_TRANSACTION_STATE: EXIT.notSo,
  ERR_IO: EXIT.io,
  ERR_KEY_REQUIRED: EXIT.usage,
  ERR_LOCKED: EXIT.io,
  ERR_NO_ROOM: EXIT.io,
  ERR_NOT_A_LOG: EXIT.usage,
  ERR_OFFLINE: EXIT.io,
  ERR_OFFSET_CONFLICT: EXIT.notSo,
  ERR_OFFSET_OUT_OF_RANGE: EXIT.notSo,
  ERR_OUT_OF_ORDER_SEQUENCE: EXIT.notSo,
  ERR_PRODUCER_FENCED: EXIT.notSo,
  ERR_READ_ONLY: EXIT.usage,
  ERR_TIMESTAMP_OUT_OF_BOUNDS: EXIT.usage,
  ERR_UNCLEAN: EXIT.io,
  ERR_UNSUPPORTED: EXIT.usage,
}

/** The exit code for an error; an error that nobody foresaw counts as one of the machine. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof PartitionLogError) return EXIT_CODES[error.code] ?? EXIT.io
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage
  return error instanceof UsageError || isArgumentError(error) ? EXIT.usage : EXIT.io
}

/** The text for stderr, its newline included. */
export function describeFailure(error: unknown, json: boolean): string {
  if (json) return `${toJson({ error: fieldsOf(error) })}\n`
  const { code, message } = fieldsOf(error)
  return `plog: ${code}: ${message.replaceAll('\n', ' ')}\n${isForeseen(error) ? '' : stackOf(error)}`
}

/** An error as JSON has it: its code, its message, and what else is known of it. */
export function fieldsOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'ERR_INTERNAL', message: String(error) }
  const { message } = error
  if (error instanceof CommanderError) return { code: 'ERR_USAGE', message: message.replace(/^error: /, '') }
  if (error instanceof PartitionLogError) {
    const { name: _name, code, ...fields } = error
    return Object.assign({ code, message }, fields)
  }
  const { code = 'ERR_INTERNAL', syscall } = error as NodeJS.ErrnoException
  // A call of the system that failed outside of the library: on stdin or stdout.
  return syscall === undefined ? { code, message } : { code: 'ERR_IO', message, ...{ syscall, errno: code } }
}

/** A TypeError or RangeError with one of Node's codes comes from an argument that was checked. */
function isArgumentError(error: unknown): boolean {
  const checked = error instanceof TypeError || error instanceof RangeError
  return checked && String((error as NodeJS.ErrnoException).code).startsWith('ERR_')
}

/** Anything else is a fault of this package, and whoever looks for it needs the stack. */
function isForeseen(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code !== undefined
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? `${error.stack}\n` : ''
}
