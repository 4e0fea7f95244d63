/**
 * What follows a failed write: putting files back as they were, and saying so
 * on the error where that fails too.
 */

import fs from 'node:fs'
import { errnoOf } from './file-io.js'

/**
 * Runs every step, even after one failed, and returns `error` to be thrown;
 * it has `damaged: true` where a step failed, as files are then not as before.
 */
export function markDamaged(error: unknown, steps: readonly (() => void)[]): unknown {
  let damaged = (error as { damaged?: boolean }).damaged === true
  for (const step of steps) {
    try {
      step()
    } catch {
      damaged = true
    }
  }
  return damaged ? Object.assign(error as object, { damaged: true }) : error
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
