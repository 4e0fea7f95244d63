/**
 * The system's errors in the package's form.
 */

import { constants } from 'node:os'
import { getSystemErrorName } from 'node:util'
import { ioError, PartitionLogError } from '../errors.js'

export function isErrno(error: unknown, errno: string): boolean {
  return error instanceof Error && errnoOf(error) === errno
}

/** `'ENOENT'` and the like, where `error` comes from the system; wrong arguments have none. */
export function errnoOf(error: unknown): string | undefined {
  const { code, errno } = error as NodeJS.ErrnoException
  if (typeof errno !== 'number' || typeof code !== 'string') return undefined
  return code.startsWith('Unknown') ? errnoName(errno) : code
}

/** Symbolic name of a negative errno. libuv's table lacks a few that the system has, a full quota among them. */
export function errnoName(errno: number): string {
  const name = getSystemErrorName(errno)
  if (!name.startsWith('Unknown')) return name
  const known = Object.entries(constants.errno).find(([, number]) => number === -errno)
  return known?.[0] ?? name
}

/** An ErrnoException as `ioError`; anything else as it is. */
export function toIoError(error: unknown, path: string): unknown {
  if (error instanceof PartitionLogError || !(error instanceof Error)) return error
  const errno = errnoOf(error)
  const { syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined || errno === undefined) return error
  return ioError(syscall, errno, path, {}, error)
}
