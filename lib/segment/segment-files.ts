/**
 * The files of one segment as handles: made, opened, checked and closed
 * together. When that happens is decided elsewhere.
 */

import { sep } from 'node:path'
import type {
  Backend,
  LogFile,
  OffsetIndexFile,
  OpenMode,
  SpareFiles,
  TimeIndexFile,
} from '../backend/contract.js'
import { firstHeader } from './batch-header.js'
import { checkOffsetIndex, checkTimeIndex } from './index-sanity.js'
import { dropEntriesBehind, dropZeroTail, dropZeroTimes } from './index-tail.js'
import { type FileKind, fileName } from './names.js'

export interface SegmentHandles {
  readonly log: LogFile
  readonly offsetIndex: OffsetIndexFile
  readonly timeIndex: TimeIndexFile
}

/** Where a log's segments live and how they are opened. */
export interface SegmentPlace {
  readonly backend: Backend
  /** Without a separator at its end. */
  readonly directory: string
  /** `read` for a log opened read-only. */
  readonly mode: 'write' | 'read'
  /** Appended to the names of its files, while they are on their way to their place. */
  readonly transition?: 'cleaned' | 'swap'
}

export function segmentPath(place: SegmentPlace, baseOffset: bigint, kind: FileKind): string {
  return `${place.directory}${sep}${fileName(baseOffset, kind, place.transition)}`
}

/** Opens the files of a segment that is there; nothing is checked yet. */
export function openSegmentFiles(place: SegmentPlace, baseOffset: bigint): SegmentHandles {
  return openAll(place, baseOffset, place.mode, { capacityBytes: 0, preallocateBytes: 0 })
}

/** Throws `ERR_CORRUPT` for indexes that cannot be believed. Of files that another may be writing it leaves out what is not there yet. */
export function checkSegmentFiles(
  { log, offsetIndex, timeIndex }: SegmentHandles,
  mode: SegmentPlace['mode'],
): void {
  if (mode === 'read') {
    dropZeroTail(offsetIndex)
    dropZeroTimes(timeIndex, () => firstHeader(log))
    dropEntriesBehind(offsetIndex, log.sizeInBytes)
  }
  checkOffsetIndex(offsetIndex, log.sizeInBytes)
  checkTimeIndex(timeIndex)
}

/** Resolves when operations under way have ended too; from this turn on the handles are closed. */
export async function closeSegmentFiles({ log, offsetIndex, timeIndex }: SegmentHandles): Promise<void> {
  await Promise.all([log.close(), offsetIndex.close(), timeIndex.close()])
}

export interface NewSegmentOptions {
  readonly capacityBytes: number
  /** 0: none. */
  readonly preallocateBytes: number
  /** Made ahead with these options. */
  readonly spare?: SpareFiles | undefined
}

/** Makes the files of a new segment; files of that name, left from a roll that failed half way, are emptied. */
export function createSegmentFiles(
  place: SegmentPlace,
  baseOffset: bigint,
  options: NewSegmentOptions,
): SegmentHandles {
  return openAll(place, baseOffset, 'create', options)
}

function openAll(
  place: SegmentPlace,
  baseOffset: bigint,
  mode: OpenMode,
  { capacityBytes, preallocateBytes, spare }: NewSegmentOptions,
): SegmentHandles {
  const { backend } = place
  const path = (kind: FileKind) => segmentPath(place, baseOffset, kind)
  const opened: OpenedFile[] = []
  const keep = <T extends OpenedFile>(file: T): T => {
    opened.push(file)
    return file
  }
  try {
    const log = keep(backend.openLogFile(path('log'), { mode, baseOffset, preallocateBytes, spare }))
    const index = { mode, capacityBytes, spare }
    const offsetIndex = keep(backend.openIndexFile(path('index'), { ...index, kind: 'offset' }))
    const timeIndex = keep(backend.openIndexFile(path('timeindex'), { ...index, kind: 'time' }))
    return { log, offsetIndex, timeIndex }
  } catch (error) {
    for (const file of opened) letGo(file, mode)
    throw error
  }
}

interface OpenedFile {
  trim(): void
  close(): Promise<void>
}

/** A file half made is cut to nothing, so that the next open finds an empty segment and no damage. */
function letGo(file: OpenedFile, mode: OpenMode): void {
  try {
    if (mode === 'create') file.trim()
  } catch {
    // What failed first is what the caller is told.
  }
  file.close().catch(() => undefined)
}
