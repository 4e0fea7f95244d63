/**
 * Checks of what a RecordKernel is called with, one for both backends: a wrong
 * argument is the same TypeError or RangeError from either, and nothing was
 * done. What columns hold is not checked here: whoever uses a row does.
 */

import { INT32_MAX, INT64_MAX, INT64_MIN, toInt64, toInteger } from '../base/int64.js'
import { outOfRange, wrongType } from '../errors.js'
import { asColumns, type ColumnMemory } from './record-columns.js'
import {
  type OffsetMapOptions,
  type RecordRegion,
  type RowRange,
  SLOT_BYTES,
  type TimestampMove,
} from './record-kernel.js'

/** As many as an int can number, as in Kafka. */
const MOST_SLOTS = INT32_MAX

/** The columns, where the region lies within its bytes and its rows within the columns. */
export function checkParse(records: RecordRegion, columns: unknown, row: number): ColumnMemory {
  const { bytes, start, end, count, baseOffset } = records
  const own = asColumns(columns)
  checkBytes('bytes', bytes)
  toInteger('end', end, 0, Math.min(bytes.length, INT32_MAX))
  toInteger('start', start, 0, end)
  checkInt64('baseOffset', baseOffset)
  checkRows(own, { from: row, count })
  return own
}

export function checkCopy(
  bytes: Uint8Array,
  columns: unknown,
  rows: RowRange,
  timestamps: TimestampMove,
  out: Uint8Array,
  outPosition: number,
): ColumnMemory {
  const own = checkKeyed(bytes, columns, rows)
  checkBytes('out', out)
  checkInt64('timestamps', 'shift' in timestamps ? timestamps.shift : timestamps.delta)
  toInteger('outPosition', outPosition, 0, Math.min(out.length, INT32_MAX))
  return own
}

/** What every call of a map has. */
export function checkKeyed(bytes: Uint8Array, columns: unknown, rows: RowRange): ColumnMemory {
  const own = asColumns(columns)
  checkBytes('bytes', bytes)
  checkRows(own, rows)
  return own
}

/** `slots` of the map; one of them always stays empty. */
export function checkPut(slots: number, fromOffset: bigint, maxSize: number): void {
  checkInt64('fromOffset', fromOffset)
  toInteger('maxSize', maxSize, 0, slots - 1)
}

/** How many slots a map of these options has. */
export function checkMap({ memoryBytes, hash }: OffsetMapOptions): number {
  if (hash !== 'md5' && hash !== 'xxh3') throw wrongType('hash', "'md5' or 'xxh3'", hash)
  const most = (MOST_SLOTS + 1) * SLOT_BYTES - 1
  return Math.floor(toInteger('memoryBytes', memoryBytes, SLOT_BYTES, most) / SLOT_BYTES)
}

/** A row that does not lie within the bytes that it is said to be of. */
export function badRow(row: number): RangeError {
  return outOfRange(`row ${row}`, 'of a record of these bytes', 'another')
}

function checkRows(columns: ColumnMemory, { from, count }: RowRange): void {
  toInteger('row', from, 0, columns.capacity)
  toInteger('count', count, 0, columns.capacity - from)
}

function checkBytes(name: string, bytes: unknown): void {
  if (!(bytes instanceof Uint8Array)) throw wrongType(name, 'a Uint8Array', bytes)
}

function checkInt64(name: string, value: unknown): void {
  if (typeof value !== 'bigint') throw wrongType(name, 'a bigint', value)
  toInt64(name, value, INT64_MIN, INT64_MAX)
}
