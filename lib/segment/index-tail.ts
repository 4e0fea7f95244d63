/**
 * The end of an index that another process may be writing, or was when it
 * stopped: zeros up to its full length behind the last entry, and entries for
 * batches that came after the log was looked at, or never reached the disk.
 */

import type { OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import { entriesBelow } from './index-search.js'

/** Counts only the entries before the zeros. The first entry can never be told from zeros by itself. */
export function dropZeroTail(index: OffsetIndexFile | TimeIndexFile): void {
  if (index.entries === 0) return
  const isZero = (n: number) => {
    const entry = index.entry(n)
    return entry.relativeOffset === 0 && ('position' in entry ? entry.position === 0 : entry.timestamp === 0n)
  }
  // Zeros only follow zeros: where the tail begins can be searched for.
  const used = entriesBelow(1, index.entries, (n) => (isZero(n) ? 1 : 0))
  index.truncate(used)
}

/** Leaves out the entries for batches at or behind `logSizeInBytes`. */
export function dropEntriesBehind(index: OffsetIndexFile, logSizeInBytes: number): void {
  index.truncate(entriesBelow(logSizeInBytes, index.entries, (n) => index.entry(n).position))
}

/** Drops the entries for offsets from `relativeOffset` on. */
export function truncateIndex(index: OffsetIndexFile | TimeIndexFile, relativeOffset: number): void {
  index.truncate(entriesBelow(relativeOffset, index.entries, (n) => index.entry(n).relativeOffset))
}
