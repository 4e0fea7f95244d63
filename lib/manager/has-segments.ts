/**
 * Whether a directory is a log: it holds at least one segment.
 */

import type { Files } from '../backend/contract.js'
import { IoError } from '../errors.js'
import { parseFileName } from '../segment/names.js'

/** Whether `directory` is there and holds a segment. */
export async function hasSegments(files: Files, directory: string): Promise<boolean> {
  try {
    const entries = await files.list(directory)
    return entries.some(({ name, isDirectory }) => !isDirectory && parseFileName(name)?.kind === 'log')
  } catch (error) {
    if (error instanceof IoError && error.errno === 'ENOENT') return false
    throw error
  }
}
