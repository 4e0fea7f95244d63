/**
 * Messages of magic 0 and 1 as rows, beside those of magic 2: the same columns
 * with the same meaning, but for the timestamp, which is no delta here.
 */

import type { RecordColumns } from '../backend/record-kernel.js'
import { invalidBatch } from '../format/batch.js'
import * as layout from '../format/layout.js'
import { type LegacyBatch, readLegacyBatch } from '../format/legacy.js'
import { innerBase, innerEntries } from '../format/legacy-records.js'

/** The one message at `bytes[at, at + size)` as row `row`. `ERR_INVALID_BATCH` where its fields do not fit it. */
export function fillMessageRow(
  columns: RecordColumns,
  row: number,
  bytes: Buffer,
  at: number,
  size: number,
): void {
  const entry = readLegacyBatch(bytes, at, at + size)
  fill(columns, row, entry, entry.offset, entry.maxTimestamp)
}

/** The messages of a wrapper whose set is open, as rows from 0 on. Positions are those in the set. */
export function fillSetRows(
  columns: RecordColumns,
  wrapper: LegacyBatch,
  entries: readonly LegacyBatch[],
): void {
  const base = innerBase(wrapper, entries.at(-1) as LegacyBatch)
  for (const [row, entry] of entries.entries()) {
    if (entry.codec !== 'none')
      throw invalidBatch('a message inside of a compressed one is compressed itself')
    const isAppendTime = entry.magic === 1 && wrapper.timestampType === 'LogAppendTime'
    const timestamp = isAppendTime ? wrapper.maxTimestamp : entry.maxTimestamp
    fill(columns, row, entry, BigInt.asIntN(64, base + entry.offset), timestamp)
  }
}

/** The entries of a wrapper's open set; `ERR_INVALID_BATCH` where it has none. */
export function entriesOf(wrapper: LegacyBatch, set: Uint8Array): LegacyBatch[] {
  const entries = innerEntries(set)
  if (entries.length > 0) return entries
  throw invalidBatch(`the compressed message at offset ${wrapper.offset} holds no record`)
}

function fill(
  columns: RecordColumns,
  row: number,
  entry: LegacyBatch,
  offset: bigint,
  timestamp: bigint,
): void {
  const { bytes, position, sizeInBytes } = entry
  const keyAt = layout.LEGACY_TIMESTAMP_AT + (entry.magic === 0 ? 4 : 12)
  const keySize = sizeAt(bytes, keyAt - 4)
  const valueAt = keyAt + Math.max(0, keySize) + 4
  columns.offsets[row] = offset
  columns.timestampDeltas[row] = timestamp
  columns.positions[row] = position
  columns.ends[row] = position + sizeInBytes
  columns.keyPositions[row] = position + keyAt
  columns.keySizes[row] = keySize
  columns.valueSizes[row] = sizeAt(bytes, valueAt - 4)
}

/** Of the field whose length lies at `at`; -1 for none. */
function sizeAt(bytes: Buffer, at: number): number {
  const size = at + 4 > bytes.length ? Number.POSITIVE_INFINITY : bytes.readInt32BE(at)
  if (size > bytes.length - at - 4) throw invalidBatch(`a message has a field of ${size} bytes`)
  return Math.max(-1, size)
}
