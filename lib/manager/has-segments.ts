/**
 * Whether a directory is a log: it holds at least one segment.
 */

import type { Files } from '../backend/contract.js'
import { IoError } from '../errors.js'
import { parseFileName } from '../segment/names.js'

/** Missing, or somebody else's: a log that we could use is neither. */
const NOT_OURS = new Set(['ENOENT', 'EACCES'])

/** Whether `directory` is there, can be listed and holds a segment. */
export async function hasSegments(files: Files, directory: string): Promise<boolean> {
  try {
    const entries = await files.list(directory, () => false)
    return entries.some(({ name, isDirectory }) => !isDirectory && isSegment(name))
  } catch (error) {
    if (error instanceof IoError && NOT_OURS.has(error.errno ?? '')) return false
    throw error
  }
}

/** A live `.log`: leftovers of deletions are no segments. */
function isSegment(name: string): boolean {
  const parsed = parseFileName(name)
  return parsed?.kind === 'log' && parsed.transition === undefined
}
