/**
 * Deleted segments whose files still lie in a log's directory. Whoever renamed
 * them removes them, or the next start; when that is cannot be seen from here.
 */

import { nodeFiles } from '../../backend/files.js'
import type { WaitingSegments } from '../../index.js'
import { parseFileName } from '../../segment/names.js'

/** One entry a segment, by rising base offset. */
export async function waitingFiles(path: string): Promise<WaitingSegments[]> {
  const found: { baseOffset: bigint; sizeInBytes: number }[] = []
  for (const { name, sizeInBytes } of await nodeFiles.list(path)) {
    const parsed = parseFileName(name)
    if (parsed?.kind === 'log' && parsed.transition === 'deleted')
      found.push({ baseOffset: parsed.baseOffset, sizeInBytes })
  }
  return found
    .sort((a, b) => (a.baseOffset < b.baseOffset ? -1 : 1))
    .map(({ baseOffset, sizeInBytes }) => ({ baseOffsets: [baseOffset], sizeInBytes, untilMs: null }))
}
