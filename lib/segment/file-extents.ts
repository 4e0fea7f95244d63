/**
 * Which of a segment's files changed since the last flush, told by how far
 * they reach: every write moves valid bytes, entries or length.
 */

import type { LogFile, OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import type { SegmentHandles } from './segment-files.js'

export interface FileExtents {
  readonly log: number
  readonly offsetIndex: string
  readonly timeIndex: string
}

export function fileExtents({ log, offsetIndex, timeIndex }: SegmentHandles): FileExtents {
  return {
    log: log.sizeInBytes,
    offsetIndex: `${offsetIndex.entries}/${offsetIndex.capacity}`,
    timeIndex: `${timeIndex.entries}/${timeIndex.capacity}`,
  }
}

/** All of them where nothing was flushed yet. */
export function changedFiles(
  handles: SegmentHandles,
  before: FileExtents | undefined,
  now: FileExtents,
): (LogFile | OffsetIndexFile | TimeIndexFile)[] {
  const keys = ['log', 'offsetIndex', 'timeIndex'] as const
  return keys.filter((key) => before?.[key] !== now[key]).map((key) => handles[key])
}
