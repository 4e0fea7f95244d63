/**
 * The end of an index that another process may be writing, or was when it
 * stopped: zeros up to its full length behind the last entry, and entries for
 * batches that came after the log was looked at, or never reached the disk.
 */

import type { OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import { maxTimestampIn } from './batch-header.js'
import { entriesBelow } from './index-search.js'

/**
 * Counts only the entries before the zeros. In an offset index zeros are never
 * an entry: no batch at the start of a segment is indexed. In a time index the
 * first entry can be one: it is dropped here too, and `dropZeroTimes` asks the log.
 */
export function dropZeroTail(index: OffsetIndexFile | TimeIndexFile): void {
  index.truncate(entriesBeforeZeros(index))
}

/**
 * The same for a time index whose `.log` can be asked. A first entry of zeros
 * says that the largest time is 0, at the base offset: it stays where that is true
 * of the first batch, whose first bytes `firstHeader` gives.
 */
export function dropZeroTimes(index: TimeIndexFile, firstHeader: () => Buffer): void {
  const used = entriesBeforeZeros(index)
  const isTrue = used === 0 && index.entries > 0 && maxTimestampIn(firstHeader()) === 0n
  index.truncate(isTrue ? 1 : used)
}

function entriesBeforeZeros(index: OffsetIndexFile | TimeIndexFile): number {
  const isZero = (n: number) => {
    const entry = index.entry(n)
    return entry.relativeOffset === 0 && ('position' in entry ? entry.position === 0 : entry.timestamp === 0n)
  }
  // Zeros only follow zeros: where the tail begins can be searched for.
  return entriesBelow(1, index.entries, (n) => (isZero(n) ? 1 : 0))
}

/** Leaves out the entries for batches at or behind `logSizeInBytes`. */
export function dropEntriesBehind(index: OffsetIndexFile, logSizeInBytes: number): void {
  index.truncate(entriesBelow(logSizeInBytes, index.entries, (n) => index.entry(n).position))
}

/** Drops the entries for offsets from `relativeOffset` on. */
export function truncateIndex(index: OffsetIndexFile | TimeIndexFile, relativeOffset: number): void {
  index.truncate(entriesBelow(relativeOffset, index.entries, (n) => index.entry(n).relativeOffset))
}
