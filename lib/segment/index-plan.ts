/**
 * Decides which index entries come due with an append, batch by batch, and
 * gives them in file form. Pure; follows Kafka's LogSegment.append.
 *
 * An entry is due before a batch when more than `indexIntervalBytes` lie since
 * the last one: offset index (batch's last offset -> its first position), and
 * time index (largest timestamp so far -> last offset of the batch that holds
 * it), the latter only when the timestamp has grown.
 */

import { NO_TIMESTAMP } from '../format/layout.js'

/** The largest timestamp so far and the last offset of the first batch that holds it: one value. */
export interface TimestampOffset {
  readonly timestamp: bigint
  readonly offset: bigint
}

export interface IndexState {
  readonly bytesSinceLastEntry: number
  readonly maxTimestamp: TimestampOffset
  /** Timestamp of the time index's last entry, -1 where it has none. */
  readonly lastIndexedTimestamp: bigint
}

/** What the decision needs to know of a batch. */
export interface BatchFacts {
  readonly sizeInBytes: number
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
}

export interface IndexPlan {
  readonly state: IndexState
  /** Whole 8-byte entries; undefined for none. */
  readonly offsetEntries?: Uint8Array
  /** Whole 12-byte entries; undefined for none. */
  readonly timeEntries?: Uint8Array
}

export const OFFSET_ENTRY_BYTES = 8
export const TIME_ENTRY_BYTES = 12

export interface IndexPlanInput {
  readonly baseOffset: bigint
  readonly indexIntervalBytes: number
  /** Position of the first batch. */
  readonly position: number
  /** Free entries; those that come due beyond are left out, which makes the index sparser, not wrong. */
  readonly offsetRoom: number
  readonly timeRoom: number
}

export function planIndexEntries(
  before: IndexState,
  batches: readonly BatchFacts[],
  input: IndexPlanInput,
): IndexPlan {
  let { bytesSinceLastEntry, maxTimestamp, lastIndexedTimestamp } = before
  let { position } = input
  const offsetEntries: Uint8Array[] = []
  const timeEntries: Uint8Array[] = []
  for (const batch of batches) {
    if (batch.maxTimestamp > maxTimestamp.timestamp) {
      maxTimestamp = { timestamp: batch.maxTimestamp, offset: batch.lastOffset }
    }
    if (bytesSinceLastEntry > input.indexIntervalBytes && offsetEntries.length < input.offsetRoom) {
      offsetEntries.push(offsetEntry(Number(batch.lastOffset - input.baseOffset), position))
      if (maxTimestamp.timestamp > lastIndexedTimestamp && timeEntries.length < input.timeRoom) {
        timeEntries.push(timeEntry(maxTimestamp, input.baseOffset))
        lastIndexedTimestamp = maxTimestamp.timestamp
      }
      bytesSinceLastEntry = 0
    }
    position += batch.sizeInBytes
    bytesSinceLastEntry += batch.sizeInBytes
  }
  const state = { bytesSinceLastEntry, maxTimestamp, lastIndexedTimestamp }
  if (offsetEntries.length === 0) return { state }
  if (timeEntries.length === 0) return { state, offsetEntries: join(offsetEntries) }
  return { state, offsetEntries: join(offsetEntries), timeEntries: join(timeEntries) }
}

/** What becomes of `before` by one batch before which no entry is due; undefined where one is. The same as `planIndexEntries`, without its lists. */
export function stateWithoutEntry(
  before: IndexState,
  { sizeInBytes, maxTimestamp, lastOffset }: BatchFacts,
  indexIntervalBytes: number,
): IndexState | undefined {
  if (before.bytesSinceLastEntry > indexIntervalBytes) return undefined
  const isLater = maxTimestamp > before.maxTimestamp.timestamp
  return {
    bytesSinceLastEntry: before.bytesSinceLastEntry + sizeInBytes,
    maxTimestamp: isLater ? { timestamp: maxTimestamp, offset: lastOffset } : before.maxTimestamp,
    lastIndexedTimestamp: before.lastIndexedTimestamp,
  }
}

/** State of a segment without records. */
export function emptyIndexState(baseOffset: bigint): IndexState {
  return {
    bytesSinceLastEntry: 0,
    maxTimestamp: { timestamp: NO_TIMESTAMP, offset: baseOffset },
    lastIndexedTimestamp: NO_TIMESTAMP,
  }
}

export function offsetEntry(relativeOffset: number, position: number): Uint8Array {
  const entry = Buffer.allocUnsafe(OFFSET_ENTRY_BYTES)
  entry.writeInt32BE(relativeOffset, 0)
  entry.writeInt32BE(position, 4)
  return entry
}

export function timeEntry({ timestamp, offset }: TimestampOffset, baseOffset: bigint): Uint8Array {
  const entry = Buffer.allocUnsafe(TIME_ENTRY_BYTES)
  entry.writeBigInt64BE(timestamp, 0)
  entry.writeInt32BE(Number(offset - baseOffset), 8)
  return entry
}

function join(entries: readonly Uint8Array[]): Uint8Array {
  return entries.length === 1 ? (entries[0] as Uint8Array) : Buffer.concat(entries)
}
