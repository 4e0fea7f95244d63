/**
 * The last entry of a time index: the largest timestamp of a sealed segment,
 * and all that policies need of most segments.
 */

import type { TimeIndexEntry, TimeIndexFile } from '../backend/contract.js'
import { firstHeader } from './batch-header.js'
import { checkIndexLength } from './file-facts.js'
import { checkTimeIndex } from './index-sanity.js'
import { dropZeroTimes } from './index-tail.js'
import { type SegmentPlace, segmentPath } from './segment-files.js'

/** Null where there is none. */
export function lastEntry(index: TimeIndexFile): TimeIndexEntry | null {
  return index.entries === 0 ? null : index.entry(index.entries - 1)
}

/**
 * The same of an index that is not open: opened for this alone, checked, and
 * closed in the same turn. `entriesBefore`: how many there must be, if known.
 */
export function readLastTimeEntry(
  place: SegmentPlace,
  baseOffset: bigint,
  entriesBefore: number | undefined,
  onCloseFailure: (error: unknown) => void,
): TimeIndexEntry | null {
  const { backend, mode } = place
  const path = segmentPath(place, baseOffset, 'timeindex')
  const index = backend.openIndexFile(path, { kind: 'time', mode, capacityBytes: 0 })
  try {
    if (mode === 'read') dropZeroTimes(index, () => readFirstHeader(place, baseOffset, onCloseFailure))
    else if (entriesBefore !== undefined) checkIndexLength(index, entriesBefore)
    checkTimeIndex(index)
    return lastEntry(index)
  } finally {
    index.close().catch(onCloseFailure)
  }
}

function readFirstHeader(
  place: SegmentPlace,
  baseOffset: bigint,
  onCloseFailure: (error: unknown) => void,
): Buffer {
  const path = segmentPath(place, baseOffset, 'log')
  const log = place.backend.openLogFile(path, { mode: 'read', baseOffset, preallocateBytes: 0 })
  try {
    return firstHeader(log)
  } finally {
    log.close().catch(onCloseFailure)
  }
}
