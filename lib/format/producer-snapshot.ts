/**
 * Producer state snapshots, read and written: what a log knew of its producers
 * up to the offset in the file's name. Pure.
 *
 *   int16 version 1 | uint32 CRC-32C from byte 6 on | int32 number of entries
 *   an entry, 46 bytes: int64 producer id | int16 epoch | int32 last sequence
 *     | int64 last offset | int32 offset delta | int64 timestamp
 *     | int32 coordinator epoch | int64 first offset of the open transaction
 */

import { type CorruptionError, corrupt } from '../errors.js'
import { crc32c } from './crc32c.js'
import { NO_SEQUENCE } from './layout.js'

/** A producer's last batch. */
export interface ProducerBatch {
  readonly firstSequence: number
  readonly lastSequence: number
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  readonly offsetDelta: number
  readonly timestamp: bigint
}

export interface ProducerEntry {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** -1 for a producer without transactions. */
  readonly coordinatorEpoch: number
  /** Of its last batch or marker. */
  readonly lastTimestamp: bigint
  /** Null where no transaction is open. */
  readonly currentTransactionFirstOffset: bigint | null
  /** Null for a producer known by its markers alone. */
  readonly batch: ProducerBatch | null
}

const VERSION = 1
const CRC_AT = 2
const CHECKED_FROM = 6
const HEADER_BYTES = 10
const ENTRY_BYTES = 46
const NO_OFFSET = -1n

/**
 * All entries of a snapshot. Throws `ERR_CORRUPT` where the version is another,
 * the checksum is wrong or the number of entries is not that of the bytes.
 */
export function parseProducerSnapshot(path: string, bytes: Buffer): ProducerEntry[] {
  if (bytes.length < HEADER_BYTES)
    throw damaged(path, `${bytes.length} bytes are fewer than the ${HEADER_BYTES} of its head`)
  const version = bytes.readInt16BE(0)
  if (version !== VERSION) throw damaged(path, `version ${version} is not ${VERSION}`)
  const expected = bytes.readUInt32BE(CRC_AT)
  const actual = crc32c(bytes, CHECKED_FROM, bytes.length)
  if (actual !== expected) throw damaged(path, `the checksum is ${actual}, stored is ${expected}`)
  const count = bytes.readInt32BE(CHECKED_FROM)
  const there = (bytes.length - HEADER_BYTES) / ENTRY_BYTES
  if (count !== there) throw damaged(path, `${count} entries are announced, ${there} are there`)
  return Array.from({ length: count }, (_, index) => entryAt(bytes, HEADER_BYTES + index * ENTRY_BYTES))
}

/** The file's bytes; of a producer without batches as Kafka has them: sequence and offset -1, delta 0. */
export function producerSnapshot(entries: readonly ProducerEntry[]): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + entries.length * ENTRY_BYTES)
  bytes.writeInt16BE(VERSION, 0)
  bytes.writeInt32BE(entries.length, CHECKED_FROM)
  for (const [index, entry] of entries.entries()) writeEntry(bytes, HEADER_BYTES + index * ENTRY_BYTES, entry)
  bytes.writeUInt32BE(crc32c(bytes, CHECKED_FROM, bytes.length), CRC_AT)
  return bytes
}

function writeEntry(bytes: Buffer, at: number, entry: ProducerEntry): void {
  const { batch } = entry
  bytes.writeBigInt64BE(entry.producerId, at)
  bytes.writeInt16BE(entry.producerEpoch, at + 8)
  bytes.writeInt32BE(batch?.lastSequence ?? NO_SEQUENCE, at + 10)
  bytes.writeBigInt64BE(batch?.lastOffset ?? NO_OFFSET, at + 14)
  bytes.writeInt32BE(batch?.offsetDelta ?? 0, at + 22)
  bytes.writeBigInt64BE(entry.lastTimestamp, at + 26)
  bytes.writeInt32BE(entry.coordinatorEpoch, at + 34)
  bytes.writeBigInt64BE(entry.currentTransactionFirstOffset ?? NO_OFFSET, at + 38)
}

function entryAt(bytes: Buffer, at: number): ProducerEntry {
  const lastTimestamp = bytes.readBigInt64BE(at + 26)
  const transactionOffset = bytes.readBigInt64BE(at + 38)
  return {
    producerId: bytes.readBigInt64BE(at),
    producerEpoch: bytes.readInt16BE(at + 8),
    coordinatorEpoch: bytes.readInt32BE(at + 34),
    lastTimestamp,
    currentTransactionFirstOffset: transactionOffset < 0n ? null : transactionOffset,
    batch: batchAt(bytes, at, lastTimestamp),
  }
}

function batchAt(bytes: Buffer, at: number, timestamp: bigint): ProducerBatch | null {
  const lastSequence = bytes.readInt32BE(at + 10)
  const lastOffset = bytes.readBigInt64BE(at + 14)
  const offsetDelta = bytes.readInt32BE(at + 22)
  if (lastOffset < 0n) return null
  return {
    firstSequence: sequenceBefore(lastSequence, offsetDelta),
    lastSequence,
    firstOffset: lastOffset - BigInt(offsetDelta),
    lastOffset,
    offsetDelta,
    timestamp,
  }
}

/** Sequences wrap from 2147483647 to 0; what is no sequence stays within 32 bits, as in Kafka. */
function sequenceBefore(sequence: number, decrement: number): number {
  return (sequence >= decrement ? sequence - decrement : sequence - decrement + 2 ** 31) | 0
}

function damaged(path: string, message: string): CorruptionError {
  return corrupt(
    'snapshot',
    path,
    `${message}; remove the file to have a broker rebuild the state from the log`,
  )
}
