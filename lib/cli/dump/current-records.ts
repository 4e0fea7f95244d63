/**
 * The records of a batch of magic 2, read as Kafka reads them for its dump:
 * what a damaged one still tells, up to the first that cannot be told apart.
 *
 *   varint length | int8 attributes | varlong timestamp delta | varint offset
 *   delta | varint key length, key | varint value length, value | varint
 *   header count, then each: varint key length, key, varint value length, value
 */

import { INT32_MAX } from '../../base/int64.js'
import { type Batch, invalidBatch } from '../../format/batch.js'
import * as layout from '../../format/layout.js'
import { VarintReader } from '../../format/varint.js'
import { javaText } from './java-text.js'
import type { OpenedHeader, OpenedRecord } from './opened-record.js'

/** The records in `bytes`, uncompressed. */
export function* currentRecords(batch: Batch, bytes: Buffer): Generator<OpenedRecord, void, undefined> {
  const { count } = batch
  if (count < 0) throw invalidBatch(`the header counts ${count} records`)
  const reader = new VarintReader(bytes, 0, bytes.length)
  for (let index = 0; index < count; index++) {
    const record = readRecord(reader, bytes, batch, index)
    const left = bytes.length - reader.position
    if (index === count - 1 && left > 0)
      throw invalidBatch(`${left} bytes remain behind the last of ${count} records`)
    yield record
  }
}

/** Sequences wrap from 2147483647 to 0; all is in 32 bits, so that a wrong increment gives what Kafka shows. */
export function incrementSequence(sequence: number, increment: number): number {
  if (sequence > ((INT32_MAX - increment) | 0)) return (increment - (INT32_MAX - sequence) - 1) | 0
  return (sequence + increment) | 0
}

function readRecord(reader: VarintReader, bytes: Buffer, batch: Batch, index: number): OpenedRecord {
  const length = reader.readVarint()
  const start = reader.position
  if (length > bytes.length - start)
    throw invalidBatch(`record ${index} claims ${length} bytes, ${bytes.length - start} are left`)
  reader.position += 1
  const timestampDelta = reader.readVarlong()
  const offsetDelta = reader.readVarint()
  const key = readField(reader, bytes, index)
  const value = readField(reader, bytes, index)
  const headers = readHeaders(reader, bytes, index)
  if (reader.position - start !== length)
    throw invalidBatch(`record ${index} claims ${length} bytes and has ${reader.position - start}`)
  const { baseSequence, baseOffset } = batch
  return {
    offset: BigInt.asIntN(64, baseOffset + BigInt(offsetDelta)),
    timestamp: timestampOf(batch, timestampDelta),
    ...{ key, value, headers, keySize: key?.length ?? -1, valueSize: value?.length ?? -1 },
    sequence: baseSequence < 0 ? layout.NO_SEQUENCE : incrementSequence(baseSequence, offsetDelta),
    checksum: null,
  }
}

/** Deltas count from the header's field whatever it is: with a delete horizon it is that. */
function timestampOf({ bytes, timestampType, maxTimestamp }: Batch, delta: bigint): bigint {
  if (timestampType === 'LogAppendTime') return maxTimestamp
  return BigInt.asIntN(64, bytes.readBigInt64BE(layout.BASE_TIMESTAMP_AT) + delta)
}

function readHeaders(reader: VarintReader, bytes: Buffer, index: number): readonly OpenedHeader[] {
  const count = reader.readVarint()
  if (count < 0 || count > bytes.length - reader.position)
    throw invalidBatch(`record ${index} claims ${count} headers`)
  const headers: OpenedHeader[] = []
  while (headers.length < count) {
    const key = readField(reader, bytes, index)
    if (key === null) throw invalidBatch(`record ${index} has a header without a key`)
    headers.push({ key: javaText(key), value: readField(reader, bytes, index) })
  }
  return headers
}

/** A length and as many bytes, as a view; below 0 stands for null. */
function readField(reader: VarintReader, bytes: Buffer, index: number): Buffer | null {
  const size = reader.readVarint()
  const at = reader.position
  if (size < 0) return null
  if (size > bytes.length - at) throw invalidBatch(`record ${index} has a field of ${size} bytes`)
  reader.position += size
  return bytes.subarray(at, at + size)
}
