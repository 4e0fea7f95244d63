/**
 * Entries of a log of magic 0 or 1, read only. An entry is one message: a
 * record, or a wrapper whose value is a compressed set of them.
 *
 *   int64 offset | int32 size of what follows | uint32 CRC-32 from magic on |
 *   int8 magic | int8 attributes | int64 timestamp (magic 1 only) |
 *   int32 key length (negative: null), key | int32 value length, value
 *
 * Only sizes are checked when an entry is read; the rest where it is used.
 * Entries are views: their bytes must not change. Bytes that cannot be a
 * message throw `ERR_INVALID_BATCH`; whoever knows the file adds where.
 */

import { crc32 } from 'node:zlib'
import { invalidBatch } from './batch.js'
import { type CodecName, codecName } from './compression.js'
import * as layout from './layout.js'
import type { TimestampType } from './record.js'

/** One entry: of a log, or of a wrapper's message set. */
export interface LegacyBatch {
  /** Of the entry's first byte in the bytes it was read from. */
  readonly position: number
  readonly sizeInBytes: number
  /** Exactly this entry; a view. */
  readonly bytes: Buffer
  readonly magic: 0 | 1
  /** The header's: of the record, or of a wrapper's last. */
  readonly offset: bigint
  /** As stored, unsigned. */
  readonly crc: number
  readonly attributes: number
  /** `ERR_UNSUPPORTED` when asked of an entry with an unknown codec id. */
  readonly codec: CodecName
  readonly timestampType: TimestampType
  /** The record's, or a wrapper's: the largest inside. -1 for magic 0. */
  readonly maxTimestamp: bigint
}

/** The entry at `bytes[position, …)`, which must end at or before `end`. */
export function readLegacyBatch(bytes: Uint8Array, position: number, end: number): LegacyBatch {
  const buffer = asBuffer(bytes)
  const left = Math.min(end, buffer.length) - position
  if (left < layout.HEADER_SIZE_UP_TO_MAGIC) throw invalidBatch('a message header is cut off', position)
  const length = buffer.readInt32BE(position + layout.LENGTH_AT)
  const magic = buffer.readInt8(position + layout.MAGIC_AT)
  if (magic !== 0 && magic !== 1) throw invalidBatch(`magic ${magic} is not 0 or 1`, position)
  const least = magic === 0 ? layout.MIN_LENGTH : layout.MIN_LENGTH_V1
  if (length < least || length > left - layout.LOG_OVERHEAD) {
    const available = left - layout.LOG_OVERHEAD
    throw invalidBatch(
      `a message claims ${length} bytes, of ${least} to ${available} that it can have`,
      position,
    )
  }
  return new Entry(buffer.subarray(position, position + layout.LOG_OVERHEAD + length), position, magic)
}

/** Whether the stored CRC-32 is that of the bytes. */
export function isLegacyCrcValid(batch: LegacyBatch): boolean {
  return batch.crc === crc32(batch.bytes.subarray(layout.MAGIC_AT))
}

/** Computes and stores the checksum of one whole entry; returns `bytes`. */
export function sealLegacyBatch(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(crc32(bytes.subarray(layout.MAGIC_AT)), layout.LEGACY_CRC_AT)
  return bytes
}

/** Key and value of an entry: views, or null. A wrapper's value is the compressed message set. */
export function legacyKeyAndValue(batch: LegacyBatch): { key: Buffer | null; value: Buffer | null } {
  const keyAt = batch.magic === 0 ? layout.LEGACY_TIMESTAMP_AT : layout.LEGACY_TIMESTAMP_AT + 8
  const key = sizedField(batch, keyAt, 'key')
  const value = sizedField(batch, keyAt + 4 + (key?.length ?? 0), 'value')
  return { key, value }
}

/** int32 length (negative: null, whatever the number, as in Kafka), bytes. */
function sizedField(batch: LegacyBatch, at: number, name: string): Buffer | null {
  const { bytes } = batch
  if (at + 4 > bytes.length) throw invalidBatch(`the ${name} length of offset ${batch.offset} is cut off`)
  const size = bytes.readInt32BE(at)
  if (size < 0) return null
  const left = bytes.length - at - 4
  if (size > left) throw invalidBatch(`the ${name} of offset ${batch.offset} claims ${size} bytes of ${left}`)
  return bytes.subarray(at + 4, at + 4 + size)
}

class Entry implements LegacyBatch {
  readonly bytes: Buffer
  readonly position: number
  readonly magic: 0 | 1

  constructor(bytes: Buffer, position: number, magic: 0 | 1) {
    this.bytes = bytes
    this.position = position
    this.magic = magic
  }

  get sizeInBytes(): number {
    return this.bytes.length
  }

  get offset(): bigint {
    return this.bytes.readBigInt64BE(layout.BASE_OFFSET_AT)
  }

  get crc(): number {
    return this.bytes.readUInt32BE(layout.LEGACY_CRC_AT)
  }

  get attributes(): number {
    return this.bytes.readInt8(layout.LEGACY_ATTRIBUTES_AT)
  }

  get codec(): CodecName {
    return codecName(this.attributes & layout.CODEC_MASK)
  }

  get timestampType(): TimestampType {
    if (this.magic === 0) return 'NoTimestampType'
    return (this.attributes & layout.TIMESTAMP_TYPE_BIT) === 0 ? 'CreateTime' : 'LogAppendTime'
  }

  get maxTimestamp(): bigint {
    return this.magic === 0 ? layout.NO_TIMESTAMP : this.bytes.readBigInt64BE(layout.LEGACY_TIMESTAMP_AT)
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
