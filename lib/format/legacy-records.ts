/**
 * The records of an entry of magic 0 or 1: the entry itself, or what its
 * compressed message set holds, with absolute offsets and true timestamps.
 *
 * As in Kafka: inner offsets are absolute in a wrapper of magic 0, and counted
 * from the wrapper's start in magic 1, where the last inner offset is the
 * wrapper's. They need not be consecutive. A message that is cut off at the
 * end of a set is not there, and inner checksums are not looked at.
 */

import { type BatchLimits, DEFAULT_BATCH_LIMITS, invalidBatch } from './batch.js'
import { type Codec, type DecompressLimits, loadedCodec } from './compression.js'
import * as layout from './layout.js'
import { type LegacyBatch, legacyKeyAndValue, readLegacyBatch } from './legacy.js'
import { type LogRecord, type RecordJson, recordToJson, type TimestampType } from './record.js'

/** A record of magic 0 or 1; it has no headers. Key and value are views. */
export type LegacyRecord = LogRecord

/**
 * The records of `batch`, in order; a compressed one is opened on the caller's
 * turn with a codec that is loaded (`ERR_CODEC_NOT_LOADED`).
 */
export function legacyRecords(
  batch: LegacyBatch,
  limits: BatchLimits = DEFAULT_BATCH_LIMITS,
): LegacyRecord[] {
  return legacyRecordsOf(batch, openMessageSet(batch, limits))
}

/** The decompressed message set of a wrapper; null for an entry that is a record itself. */
export function openMessageSet(batch: LegacyBatch, limits: BatchLimits): Uint8Array | null {
  if (batch.codec === 'none') return null
  return codecOf(batch).decompress(compressedSet(batch), decompressLimits(batch, limits))
}

/** As `openMessageSet`, off the event loop where the codec's library can. */
export async function openMessageSetAsync(
  batch: LegacyBatch,
  limits: BatchLimits,
): Promise<Uint8Array | null> {
  if (batch.codec === 'none') return null
  return codecOf(batch).decompressAsync(compressedSet(batch), decompressLimits(batch, limits))
}

/** The records of `batch`, whose message set is already open (null where it has none). */
export function legacyRecordsOf(batch: LegacyBatch, messageSet: Uint8Array | null): LegacyRecord[] {
  if (messageSet === null)
    return [new MessageRecord(batch, batch.offset, batch.maxTimestamp, batch.timestampType)]
  const entries = innerEntries(messageSet)
  const last = entries.at(-1)
  if (last === undefined)
    throw invalidBatch(`the compressed message at offset ${batch.offset} holds no record`)
  const base = innerBase(batch, last)
  return entries.map((entry) => innerRecord(batch, entry, base))
}

function codecOf(batch: LegacyBatch): Codec {
  if (batch.codec === 'zstd') throw invalidBatch(`zstd is not allowed in magic ${batch.magic}`)
  return loadedCodec(batch.codec)
}

function compressedSet(batch: LegacyBatch): Buffer {
  const { value } = legacyKeyAndValue(batch)
  if (value === null) throw invalidBatch(`the compressed message at offset ${batch.offset} has no value`)
  return value
}

function decompressLimits(batch: LegacyBatch, limits: BatchLimits): DecompressLimits {
  return { maxBytes: limits.maxDecompressedBytes, magic: batch.magic }
}

/** The entries of an open message set, as they are stored; one that is cut off at the end is not there. */
export function innerEntries(messageSet: Uint8Array): LegacyBatch[] {
  const bytes = Buffer.from(messageSet.buffer, messageSet.byteOffset, messageSet.byteLength)
  const entries: LegacyBatch[] = []
  let position = 0
  while (bytes.length - position >= layout.LOG_OVERHEAD) {
    const length = bytes.readInt32BE(position + layout.LENGTH_AT)
    if (length < layout.MIN_LENGTH) throw invalidBatch(`a message inside claims ${length} bytes`)
    if (length > bytes.length - position - layout.LOG_OVERHEAD) break
    const entry = readLegacyBatch(bytes, position, bytes.length)
    entries.push(entry)
    position += entry.sizeInBytes
  }
  return entries
}

/** What to add to the offsets of the entries inside of `batch`, of which `last` is the last. */
export function innerBase(batch: LegacyBatch, last: LegacyBatch): bigint {
  // Some old producers left the wrapper's offset at 0: inner offsets then stand as they are.
  if (batch.magic === 0 || batch.offset === 0n) return 0n
  if (batch.offset < last.offset) {
    throw invalidBatch(
      `the wrapper's offset ${batch.offset} is below that of its last message, ${last.offset}`,
    )
  }
  return batch.offset - last.offset
}

function innerRecord(batch: LegacyBatch, entry: LegacyBatch, base: bigint): LegacyRecord {
  if (entry.codec !== 'none') throw invalidBatch('a message inside of a compressed one is compressed itself')
  const offset = BigInt.asIntN(64, base + entry.offset)
  if (entry.magic === 0) return new MessageRecord(entry, offset, layout.NO_TIMESTAMP, 'NoTimestampType')
  const timestamp = batch.timestampType === 'LogAppendTime' ? batch.maxTimestamp : entry.maxTimestamp
  return new MessageRecord(entry, offset, timestamp, batch.timestampType)
}

const NO_HEADERS: LogRecord['headers'] = Object.freeze([])

class MessageRecord implements LogRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  readonly timestampType: TimestampType
  readonly key: Buffer | null
  readonly value: Buffer | null

  constructor(entry: LegacyBatch, offset: bigint, timestamp: bigint, timestampType: TimestampType) {
    this.offset = offset
    this.timestamp = timestamp
    this.timestampType = timestampType
    const { key, value } = legacyKeyAndValue(entry)
    this.key = key
    this.value = value
  }

  get headers(): LogRecord['headers'] {
    return NO_HEADERS
  }

  toJSON(): RecordJson {
    return recordToJson(this)
  }
}
