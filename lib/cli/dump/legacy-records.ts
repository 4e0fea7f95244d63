/**
 * The records of a message of magic 0 or 1, read as Kafka reads them for its
 * dump: the message itself, or those in its compressed set. Sizes are shown as
 * they are stored, and looked at only when a key or value is asked for.
 *
 *   uint32 CRC-32 | int8 magic | int8 attributes | int64 timestamp (magic 1)
 *   | int32 key length, key | int32 value length, value
 */

import { crc32 } from 'node:zlib'
import { type Batch, invalidBatch } from '../../format/batch.js'
import * as layout from '../../format/layout.js'
import type { OpenedRecord } from './opened-record.js'

/** Bytes of a message before its key's length, by magic; a magic that is none is read as the newer one. */
const KEY_SIZE_AT_V0 = 6
const KEY_SIZE_AT_V1 = 14
const MAGIC_AT = 4
const ATTRIBUTES_AT = 5
const TIMESTAMP_AT = 6

/** The value of the message, compressed or not. */
export function storedMessageSet(batch: Batch): Buffer {
  if (batch.codec === 'none') return batch.bytes
  if (batch.codec === 'zstd') throw invalidBatch(`zstd is not allowed in magic ${batch.magic}`)
  const { value } = new Message(outerBytes(batch), batch.lastOffset)
  if (value === null) throw invalidBatch(`the compressed message at offset ${batch.lastOffset} has no value`)
  return value
}

/** The records; `messageSet` is what a compressed message holds, opened. */
export function* legacyRecords(batch: Batch, messageSet: Buffer): Generator<OpenedRecord, void, undefined> {
  if (batch.codec === 'none') {
    yield new Message(outerBytes(batch), batch.lastOffset)
    return
  }
  const entries = [...innerEntries(messageSet)]
  const base = innerBase(batch, entries.at(-1))
  for (const { bytes, offset } of entries) {
    const message = new Message(bytes, BigInt.asIntN(64, base + offset), batch)
    if (message.isCompressed) throw invalidBatch('a message inside of a compressed one is compressed itself')
    yield message
  }
}

function outerBytes({ bytes }: Batch): Buffer {
  return bytes.subarray(layout.LOG_OVERHEAD)
}

interface Entry {
  readonly offset: bigint
  readonly bytes: Buffer
}

/** One that is cut off at the end is not there. */
function* innerEntries(messageSet: Buffer): Generator<Entry, void, undefined> {
  for (let position = 0; messageSet.length - position >= layout.LOG_OVERHEAD; ) {
    const start = position + layout.LOG_OVERHEAD
    const length = messageSet.readInt32BE(position + layout.LENGTH_AT)
    if (length < layout.MIN_LENGTH) throw invalidBatch(`a message inside claims ${length} bytes`)
    if (length > messageSet.length - start) return
    yield {
      offset: messageSet.readBigInt64BE(position),
      bytes: messageSet.subarray(start, start + length),
    }
    position = start + length
  }
}

/** What to add to inner offsets, which in magic 1 are counted from the wrapper's start. */
function innerBase({ magic, lastOffset }: Batch, last: Entry | undefined): bigint {
  if (last === undefined) throw invalidBatch(`the compressed message at offset ${lastOffset} holds no record`)
  // Some old producers left the wrapper's offset at 0: inner offsets then stand as they are.
  if (magic === 0 || lastOffset === 0n) return 0n
  if (lastOffset < last.offset)
    throw invalidBatch(`the wrapper's offset ${lastOffset} is below that of its last message, ${last.offset}`)
  return lastOffset - last.offset
}

class Message implements OpenedRecord {
  readonly offset: bigint
  readonly sequence = layout.NO_SEQUENCE
  readonly headers = []
  readonly #bytes: Buffer
  readonly #wrapper: Batch | undefined

  /** `bytes` from the checksum on. */
  constructor(bytes: Buffer, offset: bigint, wrapper?: Batch) {
    this.#bytes = bytes
    this.offset = offset
    this.#wrapper = wrapper
  }

  get isCompressed(): boolean {
    return (this.#bytes.readInt8(ATTRIBUTES_AT) & layout.CODEC_MASK) !== 0
  }

  get timestamp(): bigint {
    if (this.#magic === 0) return layout.NO_TIMESTAMP
    // Within one of magic 1 the time of the append is the wrapper's.
    const wrapper = this.#magic === 1 ? this.#wrapper : undefined
    if (wrapper?.timestampType === 'LogAppendTime') return wrapper.maxTimestamp
    this.#checkSize(TIMESTAMP_AT, 8)
    return this.#bytes.readBigInt64BE(TIMESTAMP_AT)
  }

  get keySize(): number {
    return this.#int32(this.#keySizeAt)
  }

  get valueSize(): number {
    return this.#int32(this.#valueSizeAt)
  }

  get key(): Buffer | null {
    return this.#field(this.#keySizeAt)
  }

  get value(): Buffer | null {
    return this.#field(this.#valueSizeAt)
  }

  get checksum(): { readonly crc: number; readonly isValid: boolean } {
    const crc = this.#bytes.readUInt32BE(0)
    return { crc, isValid: crc === crc32(this.#bytes.subarray(MAGIC_AT)) }
  }

  get #magic(): number {
    return this.#bytes.readInt8(MAGIC_AT)
  }

  get #keySizeAt(): number {
    return this.#magic === 0 ? KEY_SIZE_AT_V0 : KEY_SIZE_AT_V1
  }

  get #valueSizeAt(): number {
    return this.#keySizeAt + 4 + Math.max(0, this.keySize)
  }

  #field(at: number): Buffer | null {
    const size = this.#int32(at)
    if (size < 0) return null
    this.#checkSize(at + 4, size)
    return this.#bytes.subarray(at + 4, at + 4 + size)
  }

  #int32(at: number): number {
    this.#checkSize(at, 4)
    return this.#bytes.readInt32BE(at)
  }

  #checkSize(at: number, size: number): void {
    const { length } = this.#bytes
    if (size > length - at)
      throw invalidBatch(`${size} bytes are claimed at ${at} of the ${length} of offset ${this.offset}`)
  }
}
