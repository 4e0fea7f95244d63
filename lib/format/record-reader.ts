/**
 * Records of a magic 2 batch, parsed from its uncompressed bytes.
 *
 *   varint length | int8 attributes | varlong timestamp delta | varint offset
 *   delta | varint key length, key | varint value length, value | varint
 *   header count, then each: varint key length, key, varint value length, value
 *
 * Every length is checked against its record and every record against the
 * batch: the count must be right and no byte may remain.
 */

import { invalidBatch } from './batch.js'
import {
  type LogRecord,
  type RecordHeader,
  type RecordJson,
  recordToJson,
  type TimestampType,
} from './record.js'
import { VarintReader } from './varint.js'

/** What records take from their batch. */
export interface RecordContext {
  readonly baseOffset: bigint
  readonly baseTimestamp: bigint
  readonly timestampType: TimestampType
  /** LogAppendTime: the timestamp of every record. */
  readonly maxTimestamp: bigint
  readonly count: number
  readonly maxRecordBytes: number | undefined
}

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([])

/** Least bytes of a record: its length and six one-byte fields. */
const MIN_RECORD_BYTES = 7

export function* readRecords(bytes: Buffer, context: RecordContext): Generator<LogRecord, void, undefined> {
  if (context.count < 0 || context.count > Math.floor(bytes.length / MIN_RECORD_BYTES)) {
    throw invalidBatch(
      `the header counts ${context.count} records, which do not fit into ${bytes.length} bytes`,
    )
  }
  const reader = new VarintReader(bytes, 0, bytes.length)
  for (let index = 0; index < context.count; index++) yield readRecord(reader, bytes, context, index)
  if (reader.position !== bytes.length) {
    throw invalidBatch(
      `${bytes.length - reader.position} bytes remain behind the last of ${context.count} records`,
    )
  }
}

function readRecord(reader: VarintReader, bytes: Buffer, context: RecordContext, index: number): LogRecord {
  const batchEnd = reader.end
  const length = reader.readVarint()
  const end = reader.position + length
  if (length < MIN_RECORD_BYTES - 1 || end > batchEnd) {
    throw invalidBatch(`record ${index} claims ${length} bytes, ${batchEnd - reader.position} are left`)
  }
  const { maxRecordBytes } = context
  if (maxRecordBytes !== undefined && length > maxRecordBytes)
    throw invalidBatch(`record ${index} has ${length} bytes, ${maxRecordBytes} are allowed`)
  reader.end = end
  reader.position += 1
  const timestampDelta = reader.readVarlongDelta()
  const offsetDelta = reader.readVarint()
  const key = readField(reader, bytes, index)
  const value = readField(reader, bytes, index)
  const headers = readHeaders(reader, bytes, index)
  if (reader.position !== end)
    throw invalidBatch(`record ${index} has ${end - reader.position} bytes left over`)
  reader.end = batchEnd
  const offset = BigInt.asIntN(64, context.baseOffset + BigInt(offsetDelta))
  const timestamp =
    context.timestampType === 'LogAppendTime'
      ? context.maxTimestamp
      : BigInt.asIntN(64, context.baseTimestamp + BigInt(timestampDelta))
  return new BatchRecord(offset, timestamp, context.timestampType, key, value, headers)
}

/** A length and as many bytes, as a view; -1 stands for null. */
function readField(reader: VarintReader, bytes: Buffer, index: number): Buffer | null {
  const size = reader.readVarint()
  const at = reader.position
  if (size < -1 || size > reader.end - at) throw invalidBatch(`record ${index} has a field of ${size} bytes`)
  if (size < 0) return null
  reader.position += size
  return bytes.subarray(at, at + size)
}

function readHeaders(reader: VarintReader, bytes: Buffer, index: number): readonly RecordHeader[] {
  const count = reader.readVarint()
  if (count === 0) return NO_HEADERS
  // Two one-byte lengths are the least that a header takes.
  if (count < 0 || count > (reader.end - reader.position) / 2) {
    throw invalidBatch(`record ${index} claims ${count} headers`)
  }
  const headers: RecordHeader[] = []
  for (let n = 0; n < count; n++) headers.push(readHeader(reader, bytes, index))
  return headers
}

function readHeader(reader: VarintReader, bytes: Buffer, index: number): RecordHeader {
  const key = readField(reader, bytes, index)
  if (key === null) throw invalidBatch(`record ${index} has a header without a key`)
  return { key: key.toString('utf8'), value: readField(reader, bytes, index) }
}

/** Plain properties, so that a record can be printed, spread and compared. */
class BatchRecord implements LogRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  readonly timestampType: TimestampType
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]

  constructor(
    offset: bigint,
    timestamp: bigint,
    timestampType: TimestampType,
    key: Buffer | null,
    value: Buffer | null,
    headers: readonly RecordHeader[],
  ) {
    this.offset = offset
    this.timestamp = timestamp
    this.timestampType = timestampType
    this.key = key
    this.value = value
    this.headers = headers
  }

  toJSON(): RecordJson {
    return recordToJson(this)
  }
}
