/**
 * A magic 2 batch as a view of its bytes: header fields are read where they
 * lie, records when they are asked for. The constructor's caller has checked
 * that the whole batch is there; see `readBatch` in batches.ts.
 */

import { INT32_MAX, readInt64 } from '../base/int64.js'
import { type Batch, type BatchLimits, type BatchSource, batchError, invalidBatch } from './batch.js'
import type { RecordContext } from './batch-record.js'
import { checksum } from './checksum.js'
import { type CodecName, codecName, loadedCodec } from './compression.js'
import * as layout from './layout.js'
import type { LogRecord, RecordCursor, TimestampType } from './record.js'
import { BatchCursor } from './record-cursor.js'
import { RecordIterator } from './record-iterator.js'

export class RecordBatch implements Batch {
  readonly magic = 2
  readonly bytes: Buffer
  readonly #limits: BatchLimits
  readonly #source: BatchSource | undefined
  #recordBytes: Buffer | undefined

  /** `bytes` is exactly one whole batch. */
  constructor(bytes: Buffer, limits: BatchLimits, source?: BatchSource) {
    this.bytes = bytes
    this.#limits = limits
    this.#source = source
  }

  get sizeInBytes(): number {
    return this.bytes.length
  }

  get baseOffset(): bigint {
    return this.bytes.readBigInt64BE(layout.BASE_OFFSET_AT)
  }

  get lastOffset(): bigint {
    return BigInt.asIntN(64, this.baseOffset + BigInt(this.lastOffsetDelta))
  }

  get lastOffsetDelta(): number {
    return this.bytes.readInt32BE(layout.LAST_OFFSET_DELTA_AT)
  }

  get partitionLeaderEpoch(): number {
    return this.bytes.readInt32BE(layout.LEADER_EPOCH_AT)
  }

  get crc(): number {
    return this.bytes.readUInt32BE(layout.CRC_AT)
  }

  get attributes(): number {
    return this.bytes.readInt16BE(layout.ATTRIBUTES_AT)
  }

  get codec(): CodecName {
    return codecName(this.attributes & layout.CODEC_MASK)
  }

  get timestampType(): TimestampType {
    return (this.attributes & layout.TIMESTAMP_TYPE_BIT) === 0 ? 'CreateTime' : 'LogAppendTime'
  }

  get isTransactional(): boolean {
    return (this.attributes & layout.TRANSACTIONAL_BIT) !== 0
  }

  get isControl(): boolean {
    return (this.attributes & layout.CONTROL_BIT) !== 0
  }

  get #hasDeleteHorizon(): boolean {
    return (this.attributes & layout.DELETE_HORIZON_BIT) !== 0
  }

  /** What the timestamp deltas count from: the horizon, where one is set. */
  get #timestampOrigin(): bigint {
    return this.bytes.readBigInt64BE(layout.BASE_TIMESTAMP_AT)
  }

  get baseTimestamp(): bigint {
    return this.#hasDeleteHorizon ? layout.NO_TIMESTAMP : this.#timestampOrigin
  }

  get deleteHorizonMs(): bigint | null {
    return this.#hasDeleteHorizon ? this.#timestampOrigin : null
  }

  get maxTimestamp(): bigint {
    return this.bytes.readBigInt64BE(layout.MAX_TIMESTAMP_AT)
  }

  get producerId(): bigint {
    return this.bytes.readBigInt64BE(layout.PRODUCER_ID_AT)
  }

  get producerEpoch(): number {
    return this.bytes.readInt16BE(layout.PRODUCER_EPOCH_AT)
  }

  get baseSequence(): number {
    return this.bytes.readInt32BE(layout.BASE_SEQUENCE_AT)
  }

  get lastSequence(): number {
    return this.baseSequence === layout.NO_SEQUENCE || this.lastOffsetDelta < 0
      ? layout.NO_SEQUENCE
      : addToSequence(this.baseSequence, this.lastOffsetDelta)
  }

  get count(): number {
    return this.bytes.readInt32BE(layout.RECORD_COUNT_AT)
  }

  isValid(): boolean {
    return this.crc === checksum(this.bytes, layout.ATTRIBUTES_AT, this.bytes.length)
  }

  async load(): Promise<void> {
    if (this.#recordBytes !== undefined || this.codec === 'none') return
    try {
      const { maxDecompressedBytes: maxBytes } = this.#limits
      this.#recordBytes = asBuffer(
        await loadedCodec(this.codec).decompressAsync(this.#stored(), { maxBytes, magic: 2 }),
      )
    } catch (error) {
      throw batchError(error, this.#source)
    }
  }

  cursor(): RecordCursor {
    return new BatchCursor(this.#context())
  }

  records(): IterableIterator<LogRecord> {
    return new RecordIterator(this.cursor())
  }

  #context(): RecordContext {
    const { bytes, timestampType } = this
    const timestampAt = timestampType === 'LogAppendTime' ? layout.MAX_TIMESTAMP_AT : layout.BASE_TIMESTAMP_AT
    return {
      bytes: this.#opened(),
      baseOffset: readInt64(bytes, layout.BASE_OFFSET_AT),
      timestampType,
      timestamp: readInt64(bytes, timestampAt),
      count: this.count,
      maxRecordBytes: this.#isPlain ? INT32_MAX : (this.#limits.maxRecordBytes ?? INT32_MAX),
      source: this.#source,
    }
  }

  #stored(): Buffer {
    return this.bytes.subarray(layout.RECORDS_AT)
  }

  get #isPlain(): boolean {
    return (this.attributes & layout.CODEC_MASK) === 0
  }

  /** A batch that compaction emptied keeps its codec but has nothing to open. */
  #opened(): Buffer {
    if (this.#recordBytes !== undefined) return this.#recordBytes
    if (this.#isPlain || this.count === 0) return this.#stored()
    try {
      const { maxDecompressedBytes: maxBytes } = this.#limits
      const opened = loadedCodec(this.codec).decompress(this.#stored(), { maxBytes, magic: 2 })
      this.#recordBytes = asBuffer(opened)
      return this.#recordBytes
    } catch (error) {
      throw batchError(error, this.#source)
    }
  }
}

/** Sequences wrap from 2147483647 to 0. */
export function addToSequence(sequence: number, increment: number): number {
  if (increment < 0) throw invalidBatch(`a sequence cannot grow by ${increment}`)
  return sequence > INT32_MAX - increment ? increment - (INT32_MAX - sequence) - 1 : sequence + increment
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
