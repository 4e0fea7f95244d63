/**
 * What counts in a segment's files, remembered while they are closed, and
 * whether they are the same when they are opened again.
 *
 * Only what a failed trim of our own left behind is cut off. A file that
 * changed in any other way while the log's lock was held is damage: what is
 * there can be neither trusted nor thrown away unasked.
 */

import type { OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import { corrupt } from '../errors.js'
import { firstHeader } from './batch-header.js'
import { dropZeroTail, dropZeroTimes } from './index-tail.js'
import type { SegmentHandles } from './segment-files.js'

export interface FileFacts {
  readonly sizeInBytes: number
  readonly offsetEntries: number
  /** Entries that the index can take. */
  readonly offsetCapacity: number
  readonly timeEntries: number
  readonly timeCapacity: number
}

export function factsOf({ log, offsetIndex, timeIndex }: SegmentHandles): FileFacts {
  return {
    sizeInBytes: log.sizeInBytes,
    offsetEntries: offsetIndex.entries,
    offsetCapacity: offsetIndex.capacity,
    timeEntries: timeIndex.entries,
    timeCapacity: timeIndex.capacity,
  }
}

/** Whether an index is longer than what it holds. */
export function hasRoom({ offsetIndex, timeIndex }: SegmentHandles): boolean {
  return offsetIndex.capacity > offsetIndex.entries || timeIndex.capacity > timeIndex.entries
}

/** Files that were just opened hold again what counted in them before; a failed trim can have left them longer. */
export function cutTail({ log, offsetIndex, timeIndex }: SegmentHandles, before: FileFacts): void {
  if (log.sizeInBytes > before.sizeInBytes) log.truncate(before.sizeInBytes)
  if (offsetIndex.entries > before.offsetEntries) offsetIndex.truncate(before.offsetEntries)
  if (timeIndex.entries > before.timeEntries) timeIndex.truncate(before.timeEntries)
}

/**
 * Leaves out the room of indexes that are exactly as long as those of an
 * active segment: a power failure after a clean close can undo its last trim.
 */
export function dropRoom({ log, offsetIndex, timeIndex }: SegmentHandles, capacityBytes: number): void {
  const isFullLength = ({ entries, entrySize, oddBytes }: OffsetIndexFile | TimeIndexFile) =>
    entries === Math.floor(capacityBytes / entrySize) && oddBytes === 0
  if (isFullLength(offsetIndex)) dropZeroTail(offsetIndex)
  if (isFullLength(timeIndex)) dropZeroTimes(timeIndex, () => firstHeader(log))
}

/** Throws `ERR_CORRUPT` unless files that were just opened hold what counted in them when they were closed. */
export function checkUnchanged({ log, offsetIndex, timeIndex }: SegmentHandles, before: FileFacts): void {
  checkLength('batch', log.path, log.sizeInBytes, before.sizeInBytes)
  checkIndexLength(offsetIndex, before.offsetEntries)
  checkIndexLength(timeIndex, before.timeEntries)
}

/** The same for one index. */
export function checkIndexLength(index: OffsetIndexFile | TimeIndexFile, entries: number): void {
  const { path, entrySize, oddBytes } = index
  checkLength('index', path, index.entries * entrySize + oddBytes, entries * entrySize)
}

function checkLength(kind: 'batch' | 'index', path: string, actual: number, expected: number): void {
  if (actual === expected) return
  const position = Math.min(actual, expected)
  throw corrupt(
    kind,
    path,
    `${actual} bytes, but there were ${expected} when it was closed: somebody else changes the files of this log; look with plog dump`,
    { position, expected, actual, ...(kind === 'batch' ? { validBytes: position } : {}) },
  )
}
