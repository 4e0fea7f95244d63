/**
 * Records taken apart into columns, and copied without those that nobody
 * needs any more. What is kept is in the columns; nothing here decides it.
 */

import { INT64_MIN } from '../../base/int64.js'
import { sizeOfVarint, sizeOfVarlong, writeVarint, writeVarlong } from '../../format/varint.js'
import { badRow, checkCopy, checkParse } from '../record-arguments.js'
import { ColumnMemory } from '../record-columns.js'
import type { RecordColumns, RecordKernel, RecordRegion, RowRange, TimestampMove } from '../record-kernel.js'
import { PortableOffsetMap } from './offset-map.js'
import { RecordFields } from './record-fields.js'

export const portableRecords: RecordKernel = {
  columns: (capacity) => new ColumnMemory(capacity),
  parse,
  copy,
  openOffsetMap: (options) => new PortableOffsetMap(options),
}

function parse(records: RecordRegion, given: RecordColumns, row: number): number {
  const columns = checkParse(records, given, row)
  const { bytes, start, end, count, baseOffset } = records
  const fields = new RecordFields(bytes)
  let position = start
  for (let i = row; i < row + count; i++) {
    if (!fields.read(position, end)) return position
    fill(columns, i, position, baseOffset, fields)
    position = fields.end
  }
  return position === end ? -1 : position
}

function fill(
  columns: ColumnMemory,
  row: number,
  position: number,
  baseOffset: bigint,
  fields: RecordFields,
): void {
  columns.offsets[row] = baseOffset + BigInt(fields.offsetDelta)
  columns.timestampDeltas[row] = BigInt(fields.timestampDelta)
  columns.positions[row] = position
  columns.ends[row] = fields.end
  columns.keyPositions[row] = fields.keyPosition
  columns.keySizes[row] = fields.keySize
  columns.valueSizes[row] = fields.valueSize
}

function copy(
  bytes: Uint8Array,
  given: RecordColumns,
  rows: RowRange,
  timestamps: TimestampMove,
  out: Uint8Array,
  outPosition: number,
): number {
  const columns = checkCopy(bytes, given, rows, timestamps, out, outPosition)
  const fields = new RecordFields(bytes)
  let largest = INT64_MIN
  let at = outPosition
  for (let row = rows.from; row < rows.from + rows.count; row++) {
    if (columns.keep[row] === 0) continue
    readRow(fields, bytes, columns, row)
    const delta = BigInt(fields.timestampDelta)
    if (delta > largest) largest = delta
    at = write(fields, bytes, moved(delta, timestamps), out, at)
    if (at < 0) return -1
  }
  columns.largestTimestampDelta[0] = largest
  return at
}

/** What columns say is believed only as far as the bytes bear it out. */
function readRow(fields: RecordFields, bytes: Uint8Array, columns: ColumnMemory, row: number): void {
  const position = columns.positions[row] as number
  const end = columns.ends[row] as number
  const isInside = position >= 0 && position < end && end <= bytes.length
  if (!isInside || !fields.read(position, end) || fields.end !== end) throw badRow(row)
}

function moved(delta: bigint, timestamps: TimestampMove): bigint {
  return 'shift' in timestamps ? BigInt.asIntN(64, delta + timestamps.shift) : timestamps.delta
}

/** The position behind the record, -1 where there is no room for it. */
function write(
  fields: RecordFields,
  bytes: Uint8Array,
  timestampDelta: bigint,
  out: Uint8Array,
  outPosition: number,
): number {
  const bodySize = 1 + sizeOfVarlong(timestampDelta) + fields.restSize
  if (sizeOfVarint(bodySize) + bodySize > out.length - outPosition) return -1
  let at = writeVarint(out, outPosition, bodySize)
  out[at++] = 0
  at = writeVarlong(out, at, timestampDelta)
  if (fields.restSize !== fields.end - fields.restPosition) return fields.writeRest(out, at)
  out.set(bytes.subarray(fields.restPosition, fields.end), at)
  return at + fields.restSize
}
