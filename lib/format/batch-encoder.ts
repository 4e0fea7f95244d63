/**
 * Records to a magic 2 batch, with the bytes that kafka-clients' own builder
 * gives for the same input. The checksum is left to `sealBatch` or to the
 * backend, which computes it on the way to the file.
 */

import { INT64_MAX, type Int64Input, TWO_TO_32, toInt64 } from '../base/int64.js'
import { InvalidBatchError } from '../errors.js'
import { checksum } from './checksum.js'
import { CODEC_IDS, type CodecName, loadedCodec } from './compression.js'
import * as layout from './layout.js'
import type { RecordInput, TimestampType } from './record.js'
import { type Millis, RecordWriter } from './record-writer.js'

/** Header fields that do not come from the records. */
export interface BatchHeader {
  readonly baseOffset: bigint
  readonly partitionLeaderEpoch: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly isTransactional: boolean
}

export const PLAIN_HEADER: BatchHeader = Object.freeze({
  baseOffset: 0n,
  partitionLeaderEpoch: layout.NO_LEADER_EPOCH,
  producerId: layout.NO_PRODUCER_ID,
  producerEpoch: layout.NO_PRODUCER_EPOCH,
  baseSequence: layout.NO_SEQUENCE,
  isTransactional: false,
})

export interface Compression {
  readonly codec: CodecName
  readonly level?: number
}

/** LogAppendTime: the time that all records of the batch are given on reading. */
export type BatchTime =
  | { readonly type: 'CreateTime' }
  | { readonly type: 'LogAppendTime'; readonly nowMs: bigint }

export const CREATE_TIME: BatchTime = Object.freeze({ type: 'CreateTime' })

/** Records in file form, not yet in a batch. */
export interface EncodedRecords {
  /** In `[0, length)` 61 bytes for the header, then the records uncompressed; valid until the encoder's next call. */
  readonly bytes: Buffer
  /** Of `bytes`. */
  readonly view: DataView
  readonly length: number
  readonly count: number
  readonly baseTimestamp: Millis
  readonly maxTimestamp: Millis
  /** Smallest timestamp that is not -1 (none); -1 where no record has one. */
  readonly minTimestamp: Millis
}

const INITIAL_BYTES = 4096
/** A buffer that one large batch has grown beyond this is not kept for the next. */
const KEPT_BYTES = 1 << 20

export class BatchEncoder {
  #writer = new RecordWriter(INITIAL_BYTES)
  #count = 0
  #base: Millis = 0
  #max: Millis = 0
  #min: Millis = 0
  #last: Millis = 0
  /** Of the batch before its last record. */
  #before = { length: 0, max: 0 as Millis, min: 0 as Millis }

  /**
   * Records to bytes. `nowMs` is the timestamp of records that have none.
   * Throws TypeError or RangeError for a record of the wrong shape.
   */
  encodeRecords(records: readonly RecordInput[], nowMs: number): EncodedRecords {
    if (records.length === 0)
      throw new InvalidBatchError('ERR_INVALID_BATCH', 'a batch needs at least one record')
    this.begin()
    for (let index = 0; index < records.length; index++) {
      this.#add(records[index] as RecordInput, nowMs, index)
    }
    return this.encoded()
  }

  /** A new batch, to which records are added one by one. */
  begin(): void {
    if (this.#writer.bytes.length > KEPT_BYTES) this.#writer = new RecordWriter(INITIAL_BYTES)
    this.#writer.position = layout.RECORDS_AT
    this.#count = 0
  }

  /** As for `encodeRecords`, of one record. Where it throws the batch is as before. */
  add(record: RecordInput, nowMs: number): void {
    const before = this.#before
    before.length = this.#writer.position
    before.max = this.#max
    before.min = this.#min
    this.#add(record, nowMs, 0)
  }

  /** Takes the last added record out again. */
  undo(): void {
    this.#writer.position = this.#before.length
    this.#max = this.#before.max
    this.#min = this.#before.min
    this.#count--
  }

  /** Records in the batch. */
  get count(): number {
    return this.#count
  }

  /** Of the last record. */
  get lastTimestamp(): Millis {
    return this.#last
  }

  /** Bytes of the batch, uncompressed, with its header. */
  get length(): number {
    return this.#writer.position
  }

  /** The batch as it is. */
  encoded(): EncodedRecords {
    const { bytes, view, position: length } = this.#writer
    return {
      bytes,
      view,
      length,
      count: this.#count,
      baseTimestamp: this.#base,
      maxTimestamp: this.#max,
      minTimestamp: this.#min,
    }
  }

  /** `index` names it in errors. */
  #add(record: RecordInput, nowMs: number, index: number): void {
    const delta = this.#count
    const timestamp = timestampOf(record, nowMs, index)
    if (delta === 0) {
      this.#base = timestamp
      this.#max = timestamp
      this.#min = -1
    }
    this.#writer.write(record, delta, difference(timestamp, this.#base), index)
    if (timestamp > this.#max) this.#max = timestamp
    if (timestamp >= 0 && (this.#min < 0 || timestamp < this.#min)) this.#min = timestamp
    this.#last = timestamp
    this.#count = delta + 1
  }
}

/**
 * The batch of `records`, without its checksum. Uncompressed it is in the very
 * buffer of `records`; compressed it is a new one.
 */
export function assembleBatch(
  records: EncodedRecords,
  header: BatchHeader,
  time: BatchTime,
  compression: Compression,
): Buffer {
  const { codec, level } = compression
  if (codec === 'none') {
    completeBatch(records, header, time)
    return records.bytes.subarray(0, records.length)
  }
  const compressed = loadedCodec(codec).compress(recordBytes(records), level)
  return assembleCompressed(compressed, records, header, time, codec)
}

/** Makes of `records`, where they are, an uncompressed batch without its checksum. */
export function completeBatch(records: EncodedRecords, header: BatchHeader, time: BatchTime): void {
  writeHeader(records.view, records.length, records, header, time, 'none')
}

/** The batch of records that were compressed elsewhere (off the event loop). */
export function assembleCompressed(
  compressed: Uint8Array,
  records: EncodedRecords,
  header: BatchHeader,
  time: BatchTime,
  codec: CodecName,
): Buffer {
  const bytes = Buffer.allocUnsafe(layout.RECORDS_AT + compressed.byteLength)
  bytes.set(compressed, layout.RECORDS_AT)
  writeHeader(new DataView(bytes.buffer, bytes.byteOffset), bytes.length, records, header, time, codec)
  return bytes
}

/** The same records, not the encoder's any more. */
export function copyOfRecords(records: EncodedRecords): EncodedRecords {
  const bytes = Buffer.from(records.bytes.subarray(0, records.length))
  return { ...records, bytes, view: new DataView(bytes.buffer, bytes.byteOffset) }
}

/** The records without room for a header: what is compressed. */
export function recordBytes({ bytes, length }: EncodedRecords): Buffer {
  return bytes.subarray(layout.RECORDS_AT, length)
}

/** Computes and stores the checksum; returns `batch`. */
export function sealBatch(batch: Buffer): Buffer {
  batch.writeUInt32BE(checksum(batch, layout.ATTRIBUTES_AT, batch.length), layout.CRC_AT)
  return batch
}

function writeHeader(
  view: DataView,
  sizeInBytes: number,
  records: Pick<EncodedRecords, 'count' | 'baseTimestamp' | 'maxTimestamp'>,
  header: BatchHeader,
  time: BatchTime,
  codec: CodecName,
): void {
  view.setBigInt64(layout.BASE_OFFSET_AT, header.baseOffset)
  view.setInt32(layout.LENGTH_AT, sizeInBytes - layout.LOG_OVERHEAD)
  view.setInt32(layout.LEADER_EPOCH_AT, header.partitionLeaderEpoch)
  view.setInt8(layout.MAGIC_AT, 2)
  view.setUint32(layout.CRC_AT, 0)
  view.setInt16(layout.ATTRIBUTES_AT, attributesOf(codec, time.type, header.isTransactional))
  view.setInt32(layout.LAST_OFFSET_DELTA_AT, records.count - 1)
  setMillis(view, layout.BASE_TIMESTAMP_AT, records.baseTimestamp)
  setMillis(view, layout.MAX_TIMESTAMP_AT, time.type === 'LogAppendTime' ? time.nowMs : records.maxTimestamp)
  view.setBigInt64(layout.PRODUCER_ID_AT, header.producerId)
  view.setInt16(layout.PRODUCER_EPOCH_AT, header.producerEpoch)
  view.setInt32(layout.BASE_SEQUENCE_AT, header.baseSequence)
  view.setInt32(layout.RECORD_COUNT_AT, records.count)
}

function setMillis(view: DataView, at: number, value: Millis): void {
  if (typeof value === 'bigint') {
    view.setBigInt64(at, value)
    return
  }
  const high = Math.floor(value / TWO_TO_32)
  view.setInt32(at, high)
  view.setUint32(at + 4, value - high * TWO_TO_32)
}

function attributesOf(codec: CodecName, type: TimestampType, isTransactional: boolean): number {
  return (
    CODEC_IDS[codec] |
    (type === 'LogAppendTime' ? layout.TIMESTAMP_TYPE_BIT : 0) |
    (isTransactional ? layout.TRANSACTIONAL_BIT : 0)
  )
}

/** -1 (none) and up, as kafka-clients' builder allows. */
function timestampOf(record: RecordInput, nowMs: number, index: number): Millis {
  const given: Int64Input | undefined = record?.timestamp
  if (given === undefined) return nowMs
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= -1) return given
  return toInt64(`records[${index}].timestamp`, given, -1n, INT64_MAX)
}

function difference(timestamp: Millis, base: Millis): Millis {
  if (typeof timestamp === 'number' && typeof base === 'number') return timestamp - base
  return BigInt(timestamp) - BigInt(base)
}
