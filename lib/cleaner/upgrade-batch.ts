/**
 * What stays of a batch of magic 0 or 1, as a batch of magic 2: Kafka's
 * cleaner writes no older format any more. Codec and timestamp type stay; it
 * begins at the first record that is kept. Not on a hot path: such batches are
 * old, and gone after their first cleaning. Pure but for the codec.
 */

import type { RecordColumns, RowRange } from '../backend/record-kernel.js'
import { assembleBatch, PLAIN_HEADER, sealBatch } from '../format/batch-encoder.js'
import * as layout from '../format/layout.js'
import type { LegacyBatch } from '../format/legacy.js'
import { RecordWriter } from '../format/record-writer.js'

export interface UpgradedBatch {
  readonly bytes: Buffer
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
}

/**
 * `entry`: the message, or the wrapper of a compressed set; its rows are of `bytes`, and at least one is kept. `horizonMs`: of
 * a tombstone among them; null for none.
 */
export function upgradeBatch(
  entry: LegacyBatch,
  bytes: Uint8Array,
  columns: RecordColumns,
  { from, count }: RowRange,
  horizonMs: bigint | null,
): UpgradedBatch {
  const rows = Array.from({ length: count }, (_, n) => from + n).filter((row) => columns.keep[row] !== 0)
  const offsetOf = (row: number) => columns.offsets[row] as bigint
  const timeOf = (row: number) => columns.timestampDeltas[row] as bigint
  const [first, last] = [rows[0] as number, rows.at(-1) as number]
  const [firstOffset, lastOffset] = [offsetOf(first), offsetOf(last)]
  const baseTimestamp = horizonMs ?? timeOf(first)
  const writer = new RecordWriter(Math.max(layout.RECORDS_AT, entry.sizeInBytes))
  writer.position = layout.RECORDS_AT
  let maxTimestamp = timeOf(first)
  for (const [index, row] of rows.entries()) {
    const timestamp = timeOf(row)
    if (timestamp > maxTimestamp) maxTimestamp = timestamp
    writer.write(
      recordOf(bytes, columns, row),
      Number(offsetOf(row) - firstOffset),
      timestamp - baseTimestamp,
      index,
    )
  }
  const batch = assembleBatch(
    {
      ...{ bytes: writer.bytes, view: writer.view, length: writer.position },
      count: rows.length,
      ...{ baseTimestamp, maxTimestamp, minTimestamp: baseTimestamp },
    },
    { ...PLAIN_HEADER, baseOffset: firstOffset },
    entry.timestampType === 'LogAppendTime'
      ? { type: 'LogAppendTime', nowMs: entry.maxTimestamp }
      : { type: 'CreateTime' },
    { codec: entry.codec },
  )
  batch.writeInt32BE(Number(lastOffset - firstOffset), layout.LAST_OFFSET_DELTA_AT)
  if (horizonMs !== null) {
    const attributes = batch.readInt16BE(layout.ATTRIBUTES_AT)
    batch.writeInt16BE(attributes | layout.DELETE_HORIZON_BIT, layout.ATTRIBUTES_AT)
  }
  sealBatch(batch)
  return {
    bytes: batch,
    firstOffset,
    lastOffset,
    maxTimestamp: batch.readBigInt64BE(layout.MAX_TIMESTAMP_AT),
  }
}

function recordOf(bytes: Uint8Array, columns: RecordColumns, row: number) {
  const keyAt = columns.keyPositions[row] as number
  const keySize = columns.keySizes[row] as number
  // The value's length lies behind the key.
  const valueAt = keyAt + Math.max(0, keySize) + 4
  return {
    key: field(bytes, keyAt, keySize),
    value: field(bytes, valueAt, columns.valueSizes[row] as number),
  }
}

function field(bytes: Uint8Array, at: number, size: number): Uint8Array | null {
  return size < 0 ? null : bytes.subarray(at, at + size)
}
