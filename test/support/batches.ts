/**
 * Batches as raw bytes, written from the format's description and not with
 * the package's own builder, so that an error in that one cannot hide here.
 */
import { referenceCrc32, referenceCrc32c } from './crc-reference.js'

export interface RawBatch {
  baseOffset?: bigint
  lastOffsetDelta?: number
  magic?: 0 | 1 | 2
  /** Bytes after the header: records for magic 2, the value for older ones. */
  payloadBytes?: number
  /** What the payload is made of, from this byte on upwards. */
  seed?: number
  baseTimestamp?: bigint
  maxTimestamp?: bigint
  leaderEpoch?: number
  attributes?: number
  producerId?: bigint
  producerEpoch?: number
  baseSequence?: number
  count?: number
}

/** One whole batch, or one message of an older format, with its right checksum. */
export function rawBatch(fields: RawBatch = {}): Buffer {
  return (fields.magic ?? 2) === 2 ? currentBatch(fields) : legacyMessage(fields)
}

/** Stores the right checksum after a test changed a batch. */
export function resealed(batch: Buffer): Buffer {
  if (batch.readInt8(16) === 2) batch.writeUInt32BE(referenceCrc32c(batch.subarray(21)), 17)
  else batch.writeUInt32BE(referenceCrc32(batch.subarray(16)), 12)
  return batch
}

function currentBatch(fields: RawBatch): Buffer {
  const { lastOffsetDelta = 0, payloadBytes = 10, maxTimestamp = -1n, seed = 1 } = fields
  const bytes = Buffer.alloc(61 + payloadBytes)
  bytes.writeBigInt64BE(fields.baseOffset ?? 0n, 0)
  bytes.writeInt32BE(bytes.length - 12, 8)
  bytes.writeInt32BE(fields.leaderEpoch ?? 0, 12)
  bytes.writeInt8(2, 16)
  bytes.writeInt16BE(fields.attributes ?? 0, 21)
  bytes.writeInt32BE(lastOffsetDelta, 23)
  bytes.writeBigInt64BE(fields.baseTimestamp ?? maxTimestamp, 27)
  bytes.writeBigInt64BE(maxTimestamp, 35)
  bytes.writeBigInt64BE(fields.producerId ?? -1n, 43)
  bytes.writeInt16BE(fields.producerEpoch ?? -1, 51)
  bytes.writeInt32BE(fields.baseSequence ?? -1, 53)
  bytes.writeInt32BE(fields.count ?? lastOffsetDelta + 1, 57)
  for (let i = 61; i < bytes.length; i++) bytes[i] = seed + i
  return resealed(bytes)
}

function legacyMessage({ baseOffset = 0n, magic, payloadBytes = 10, seed = 1, ...fields }: RawBatch): Buffer {
  const keyAt = magic === 1 ? 26 : 18
  const bytes = Buffer.alloc(keyAt + 8 + payloadBytes)
  bytes.writeBigInt64BE(baseOffset, 0)
  bytes.writeInt32BE(bytes.length - 12, 8)
  bytes.writeInt8(magic ?? 0, 16)
  bytes.writeInt8(fields.attributes ?? 0, 17)
  if (magic === 1) bytes.writeBigInt64BE(fields.maxTimestamp ?? -1n, 18)
  bytes.writeInt32BE(-1, keyAt)
  bytes.writeInt32BE(payloadBytes, keyAt + 4)
  for (let i = keyAt + 8; i < bytes.length; i++) bytes[i] = seed + i
  return resealed(bytes)
}
