/**
 * The entries of an `.index` or `.timeindex`, read in order, as absolute
 * offsets. An index of an active segment has zeros behind its last entry: the
 * first entry but one that is at the base offset ends it.
 */

import type { DumpedFile } from './dumped-file.js'

export const OFFSET_ENTRY_BYTES = 8
export const TIME_ENTRY_BYTES = 12

export interface OffsetEntry {
  readonly offset: bigint
  readonly position: number
}

export interface TimeEntry {
  readonly timestamp: bigint
  readonly offset: bigint
}

/** Whole entries that the file's length has room for. */
export function capacityOf(file: DumpedFile, entryBytes: number): number {
  return Math.floor(file.sizeInBytes / entryBytes)
}

export async function offsetEntryAt(
  file: DumpedFile,
  baseOffset: bigint,
  index: number,
): Promise<OffsetEntry> {
  const bytes = await file.read(index * OFFSET_ENTRY_BYTES, OFFSET_ENTRY_BYTES)
  return { offset: baseOffset + BigInt(bytes.readInt32BE(0)), position: bytes.readInt32BE(4) }
}

export async function timeEntryAt(file: DumpedFile, baseOffset: bigint, index: number): Promise<TimeEntry> {
  const bytes = await file.read(index * TIME_ENTRY_BYTES, TIME_ENTRY_BYTES)
  return { timestamp: bytes.readBigInt64BE(0), offset: baseOffset + BigInt(bytes.readInt32BE(8)) }
}

export async function* offsetEntries(
  file: DumpedFile,
  baseOffset: bigint,
): AsyncGenerator<OffsetEntry, void, undefined> {
  const capacity = capacityOf(file, OFFSET_ENTRY_BYTES)
  for (let index = 0; index < capacity; index++) {
    const entry = await offsetEntryAt(file, baseOffset, index)
    if (index > 0 && entry.offset === baseOffset) return
    yield entry
  }
}

export async function* timeEntries(
  file: DumpedFile,
  baseOffset: bigint,
): AsyncGenerator<TimeEntry, void, undefined> {
  const capacity = capacityOf(file, TIME_ENTRY_BYTES)
  for (let index = 0; index < capacity; index++) {
    const entry = await timeEntryAt(file, baseOffset, index)
    if (index > 0 && entry.offset === baseOffset) return
    yield entry
  }
}
