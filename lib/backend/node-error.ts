/**
 * Node's system errors in the package's form.
 */

import { ioError, PartitionLogError } from '../errors.js'

export function isErrno(error: unknown, errno: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === errno
}

/** An ErrnoException as `ioError`; anything else as it is. */
export function toIoError(error: unknown, path: string): unknown {
  if (error instanceof PartitionLogError || !(error instanceof Error)) return error
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall === undefined || code === undefined) return error
  return ioError(syscall, code, path, {}, error)
}
