/**
 * The header of a magic 2 batch whose records are not all there any more.
 * Pure; the bytes are those of Kafka's `MemoryRecords.filterTo`.
 *
 * Base offset, last offset, leader epoch, codec, timestamp type, producer and
 * sequence stay; the base timestamp becomes the delete horizon where there is
 * one, else the first kept record's time, and timestamps count from there.
 */

import type { RecordColumns, RowRange, TimestampMove } from '../backend/record-kernel.js'
import { INT64_MAX } from '../base/int64.js'
import * as layout from '../format/layout.js'
import type { Crc32c } from './batch-check.js'

/** All that an empty batch keeps of its attributes: its codec has nothing to do any more. */
const EMPTY_ATTRIBUTES = layout.TIMESTAMP_TYPE_BIT | layout.TRANSACTIONAL_BIT | layout.CONTROL_BIT
const KEPT_ATTRIBUTES = EMPTY_ATTRIBUTES | layout.CODEC_MASK

/** How a batch's timestamps are written anew. */
export interface NewTimes {
  readonly baseTimestamp: bigint
  readonly hasDeleteHorizon: boolean
  readonly move: TimestampMove
}

/** Delete horizon of the batch at `bytes[at, …)`; null where none is set. */
export function deleteHorizonOf(bytes: Buffer, at: number): bigint | null {
  const hasHorizon = (bytes.readInt16BE(at + layout.ATTRIBUTES_AT) & layout.DELETE_HORIZON_BIT) !== 0
  return hasHorizon ? bytes.readBigInt64BE(at + layout.BASE_TIMESTAMP_AT) : null
}

/** Horizon of tombstones that are met at `nowMs`; where they stay for ever it is negative, as in Kafka, and is not set. */
export function newHorizonMs(nowMs: number, deleteRetentionMs: number): bigint {
  const retention = Number.isFinite(deleteRetentionMs) ? BigInt(deleteRetentionMs) : INT64_MAX
  return int64(BigInt(nowMs) + retention)
}

/** Of the batch at `bytes[at, …)` with `rows`, of which at least one is kept. `horizonMs`: to be set, or null. */
export function newTimes(
  bytes: Buffer,
  at: number,
  columns: RecordColumns,
  rows: RowRange,
  horizonMs: bigint | null,
): NewTimes {
  const origin = bytes.readBigInt64BE(at + layout.BASE_TIMESTAMP_AT)
  const isAppendTime = hasAppendTime(bytes, at)
  const appendTime = bytes.readBigInt64BE(at + layout.MAX_TIMESTAMP_AT)
  const horizon = horizonMs ?? deleteHorizonOf(bytes, at)
  const hasDeleteHorizon = horizon !== null && horizon >= 0n
  const first = isAppendTime ? appendTime : int64(origin + firstKeptDelta(columns, rows))
  const baseTimestamp = hasDeleteHorizon ? horizon : first
  const move = isAppendTime
    ? { delta: int64(appendTime - baseTimestamp) }
    : { shift: int64(origin - baseTimestamp) }
  return { baseTimestamp, hasDeleteHorizon, move }
}

/** Largest timestamp after a copy that left `largestDelta`. */
export function newMaxTimestamp(bytes: Buffer, at: number, largestDelta: bigint): bigint {
  if (hasAppendTime(bytes, at)) return bytes.readBigInt64BE(at + layout.MAX_TIMESTAMP_AT)
  const largest = int64(bytes.readBigInt64BE(at + layout.BASE_TIMESTAMP_AT) + largestDelta)
  return largest > layout.NO_TIMESTAMP ? largest : layout.NO_TIMESTAMP
}

export interface NewHeader {
  /** Of the whole batch; its records are at `out[outAt + 61, …)` already. */
  readonly sizeInBytes: number
  readonly count: number
  readonly times: NewTimes
  readonly maxTimestamp: bigint
}

/** Writes the header of what the batch at `bytes[at, …)` has become, checksum included. */
export function writeNewHeader(
  bytes: Buffer,
  at: number,
  out: Buffer,
  outAt: number,
  header: NewHeader,
  crc32c: Crc32c,
): void {
  const { sizeInBytes, count, times, maxTimestamp } = header
  bytes.copy(out, outAt, at, at + layout.RECORDS_AT)
  const kept = bytes.readInt16BE(at + layout.ATTRIBUTES_AT) & KEPT_ATTRIBUTES
  const attributes = kept | (times.hasDeleteHorizon ? layout.DELETE_HORIZON_BIT : 0)
  out.writeInt32BE(sizeInBytes - layout.LOG_OVERHEAD, outAt + layout.LENGTH_AT)
  out.writeInt16BE(attributes, outAt + layout.ATTRIBUTES_AT)
  out.writeBigInt64BE(times.baseTimestamp, outAt + layout.BASE_TIMESTAMP_AT)
  out.writeBigInt64BE(maxTimestamp, outAt + layout.MAX_TIMESTAMP_AT)
  out.writeInt32BE(count, outAt + layout.RECORD_COUNT_AT)
  seal(out, outAt, sizeInBytes, crc32c)
}

/** Writes the batch at `bytes[at, …)` without its records; 61 bytes. Its largest timestamp stays. */
export function writeEmptyBatch(bytes: Buffer, at: number, out: Buffer, outAt: number, crc32c: Crc32c): void {
  bytes.copy(out, outAt, at, at + layout.RECORDS_AT)
  const attributes = bytes.readInt16BE(at + layout.ATTRIBUTES_AT) & EMPTY_ATTRIBUTES
  out.writeInt32BE(layout.BATCH_OVERHEAD - layout.LOG_OVERHEAD, outAt + layout.LENGTH_AT)
  out.writeInt16BE(attributes, outAt + layout.ATTRIBUTES_AT)
  out.writeBigInt64BE(layout.NO_TIMESTAMP, outAt + layout.BASE_TIMESTAMP_AT)
  out.writeInt32BE(0, outAt + layout.RECORD_COUNT_AT)
  seal(out, outAt, layout.BATCH_OVERHEAD, crc32c)
}

function firstKeptDelta({ keep, timestampDeltas }: RecordColumns, { from, count }: RowRange): bigint {
  let row = from
  while (keep[row] === 0 && row < from + count - 1) row++
  return timestampDeltas[row] as bigint
}

function hasAppendTime(bytes: Buffer, at: number): boolean {
  return (bytes.readInt16BE(at + layout.ATTRIBUTES_AT) & layout.TIMESTAMP_TYPE_BIT) !== 0
}

function seal(out: Buffer, at: number, size: number, crc32c: Crc32c): void {
  out.writeUInt32BE(crc32c(out, at + layout.ATTRIBUTES_AT, at + size), at + layout.CRC_AT)
}

function int64(n: bigint): bigint {
  return BigInt.asIntN(64, n)
}
