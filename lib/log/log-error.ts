/**
 * Errors as a log tells them, and what a failed write means for its files.
 */

import { PartitionLogError } from '../errors.js'

/** Errors that leave log and indexes as they were before; a file that could not be opened does too. */
const TAKEN_BACK = new Set(['ERR_DISK_FULL', 'ERR_NO_ROOM'])

/** Whether a write that failed with `error` has changed nothing that counts. */
export function isTakenBack(error: PartitionLogError): boolean {
  const taken = TAKEN_BACK.has(error.code) || error.syscall === 'open'
  return taken && (error as { damaged?: boolean }).damaged !== true
}

export function asLogError(error: unknown): PartitionLogError {
  if (error instanceof PartitionLogError) return error
  return new PartitionLogError('ERR_IO', error instanceof Error ? error.message : String(error), {}, error)
}
