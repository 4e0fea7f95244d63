/**
 * What follows a failed write: putting files back as they were, and saying so
 * on the error where that fails too.
 */

import fs from 'node:fs'
import { IoError, PartitionLogError } from '../../errors.js'
import { errnoOf } from '../node-error.js'

/**
 * Runs every step, even after one failed, and returns what to throw: `error`
 * where all was put back, else an `ERR_IO` with `damaged: true` (a full disk
 * alone would be no damage, so it does not keep that code).
 */
export function undo(error: unknown, steps: readonly (() => void)[]): unknown {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      step()
    } catch (failure) {
      failures.push(failure)
    }
  }
  const isDamaged = failures.length > 0 && (error as { damaged?: true }).damaged !== true
  return isDamaged ? damaged(error, failures[0]) : error
}

function damaged(error: unknown, failure: unknown): IoError {
  const { path, position, syscall, errno } =
    error instanceof PartitionLogError ? error : ({} as PartitionLogError)
  const fields = Object.entries({ path, position, syscall, errno }).filter(([, value]) => value !== undefined)
  const message = `${textOf(error)}; what was written could not be cut back: ${textOf(failure)}`
  return Object.assign(new IoError('ERR_IO', message, Object.fromEntries(fields), error), { damaged: true })
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Removes a file that was just made and could not be given its length. */
export function discardNewFile(fd: number, path: string): void {
  fs.closeSync(fd)
  try {
    fs.unlinkSync(path)
  } catch (error) {
    // The caller is about to throw what went wrong first; a leftover empty file is found by the next open.
    if (errnoOf(error) === undefined) throw error
  }
}
