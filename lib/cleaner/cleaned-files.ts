/**
 * The `.cleaned` files of a log directory: what they are called, and that none
 * is left behind. They count for nothing until the log has taken them over, so
 * they can always be removed before that.
 */

import { join } from 'node:path'
import type { Files } from '../backend/contract.js'
import { fileName, parseFileName, SEGMENT_FILE_KINDS } from '../segment/names.js'

export function cleanedPath(directory: string, baseOffset: bigint, kind: 'log' | 'txnindex'): string {
  return join(directory, fileName(baseOffset, kind, 'cleaned'))
}

/** Removes what an earlier cleaning left that could not end (its thread was killed). */
export async function removeLeftovers(files: Files, directory: string): Promise<void> {
  const entries = await files.list(directory, () => false)
  for (const { name } of entries)
    if (parseFileName(name)?.transition === 'cleaned') await files.remove(join(directory, name))
}

/** Removes all files of one segment that was being written. */
export async function removeCleaned(files: Files, directory: string, baseOffset: bigint): Promise<void> {
  for (const kind of SEGMENT_FILE_KINDS)
    await files.remove(join(directory, fileName(baseOffset, kind, 'cleaned')))
}
