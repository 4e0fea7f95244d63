/**
 * Appending: records or batches to the active segment, offsets assigned (as
 * leader) or taken as given (as follower). Everything is checked and decided
 * before the one write.
 */

import { INT32_MAX, type Int64Input, millisToInt64, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import type { LogConfig } from '../config/settings.js'
import { InvalidBatchError, PartitionLogError, wrongType } from '../errors.js'
import {
  assembleBatch,
  assembleCompressed,
  type BatchHeader,
  type BatchTime,
  CREATE_TIME,
  completeBatch,
  type EncodedRecords,
  PLAIN_HEADER,
} from '../format/batch-encoder.js'
import type { CodecName } from '../format/compression.js'
import { RECORDS_AT } from '../format/layout.js'
import { type ProducerInput, producerFields } from '../format/producer-input.js'
import type { RecordInput } from '../format/record.js'
import { addToSequence } from '../format/record-batch.js'
import { checkKeys, checkSize, checkTimestamps } from './append-check.js'
import { compressionOf } from './append-codec.js'
import { type Appended, assignedBatch } from './batches-to-append.js'
import type { LogCore } from './log-core.js'
import { NO_PRODUCERS, type ProducerBatches } from './producers/append-producers.js'
import type { ProducerHeader } from './producers/producer-header.js'
import { writeBatches } from './write-batches.js'

export interface AppendOptions {
  /** Default: the log's `compression.type`, or none where that is `producer`. */
  readonly compression?: CodecName
  readonly compressionLevel?: number
  readonly producer?: ProducerInput
  /** Default: the log's latest leader epoch, 0 in a new log. */
  readonly leaderEpoch?: number
  /** Refuse with `ERR_OFFSET_CONFLICT` unless the first record would get this offset. */
  readonly expectedNextOffset?: Int64Input
}

const APPEND_OPTIONS = knownKeys<AppendOptions>({
  compression: true,
  compressionLevel: true,
  producer: true,
  leaderEpoch: true,
  expectedNextOffset: true,
})

/** What an append without any is given. */
export const NO_OPTIONS: AppendOptions = {}

/** Appends `records` as one batch. Nothing is written where it throws. */
export function appendRecords(
  core: LogCore,
  records: readonly RecordInput[],
  options: AppendOptions,
): Appended {
  try {
    core.assertWritable()
    if (!Array.isArray(records)) throw wrongType('records', 'an array of records', records)
    if (options !== NO_OPTIONS) checkKnown(options, APPEND_OPTIONS)
    checkKeys(records, core.config)
    const nowMs = core.env.clock.nowMs()
    const encoded = core.encoder.encodeRecords(records, nowMs)
    checkTimestamps(encoded, records, nowMs, core.config)
    return writeEncoded(core, encoded, options, nowMs)
  } catch (error) {
    throw core.counters.refused(error)
  }
}

/** Records that are compressed already. */
interface Compressed {
  readonly bytes: Uint8Array
  readonly codec: CodecName
}

/** Appends records that are encoded, and perhaps compressed already, as one batch. */
export function appendEncoded(
  core: LogCore,
  records: EncodedRecords,
  options: AppendOptions,
  nowMs: number,
  compressed?: Compressed,
): Appended {
  try {
    return writeEncoded(core, records, options, nowMs, compressed)
  } catch (error) {
    throw core.counters.refused(error)
  }
}

/** The same as part of an append that counts its refusals itself. */
export function writeEncoded(
  core: LogCore,
  records: EncodedRecords,
  options: AppendOptions,
  nowMs: number,
  compressed?: Compressed,
): Appended {
  core.assertWritable()
  const header = headerOf(core, options)
  const time = timeOf(core.config, nowMs)
  const { bytes, length } = bytesOfBatch(core, records, header, time, options, compressed)
  checkSize(length, core.config)
  const { baseOffset } = header
  const { count } = records
  const lastOffset = count === 1 ? baseOffset : baseOffset + BigInt(count - 1)
  const maxTimestamp = time.type === 'LogAppendTime' ? time.nowMs : millisToInt64(records.maxTimestamp)
  const batch = assignedBatch({
    bytes,
    length,
    baseOffset,
    lastOffset,
    maxTimestamp,
    epoch: header.partitionLeaderEpoch,
    count,
    producers: producersOf(header, lastOffset, maxTimestamp),
  })
  // How long it took to compress does not count.
  return bytes === records.bytes ? writeBatches(core, [batch], nowMs) : writeBatches(core, [batch])
}

/** The batch, its checksum left open: where the records are, or in a buffer of its own where they are compressed. */
function bytesOfBatch(
  core: LogCore,
  records: EncodedRecords,
  header: BatchHeader,
  time: BatchTime,
  options: AppendOptions,
  compressed: Compressed | undefined,
): { readonly bytes: Buffer; readonly length: number } {
  const compression = compressed ?? compressionOf(core.config, options)
  if (compression.codec === 'none') {
    completeBatch(records, header, time)
    return records
  }
  checkOpens(records, core.env.limits.maxDecompressedBytes)
  const bytes =
    compressed === undefined
      ? assembleBatch(records, header, time, compression)
      : assembleCompressed(compressed.bytes, records, header, time, compressed.codec)
  return { bytes, length: bytes.length }
}

function producersOf(header: BatchHeader, lastOffset: bigint, maxTimestamp: bigint): ProducerBatches {
  const { baseOffset, producerId, producerEpoch, baseSequence, isTransactional } = header
  if (producerId < 0n) return NO_PRODUCERS
  const lastSequence = addToSequence(baseSequence, Number(lastOffset - baseOffset))
  const written: ProducerHeader = {
    ...{ producerId, producerEpoch, baseSequence, lastSequence, baseOffset, lastOffset, maxTimestamp },
    ...{ isTransactional, isControl: false, marker: null },
  }
  return { headers: [written], origin: 'client' }
}

/** What is written must be readable with the same limit. */
function checkOpens({ length }: EncodedRecords, limit: number): void {
  const actual = length - RECORDS_AT
  if (actual <= limit) return
  throw new InvalidBatchError(
    'ERR_BATCH_TOO_LARGE',
    `a compressed batch of ${actual} bytes could not be read with maxDecompressedBytes=${limit}; append fewer records at once, or open the log with a larger limit`,
    { actual, expected: limit },
  )
}

function headerOf(core: LogCore, options: AppendOptions): BatchHeader {
  const { logEndOffset: baseOffset } = core.state
  checkExpectedOffset(options.expectedNextOffset, baseOffset)
  const partitionLeaderEpoch = leaderEpochOf(core, options.leaderEpoch)
  const { producerId, producerEpoch, baseSequence, isTransactional } =
    options.producer === undefined ? PLAIN_HEADER : producerFields(options.producer)
  return { baseOffset, partitionLeaderEpoch, producerId, producerEpoch, baseSequence, isTransactional }
}

/** The epoch of an append as leader: the log's latest where none is given, and never below it. */
export function leaderEpochOf(core: LogCore, given: number | undefined): number {
  const latest = core.epochs.latest?.epoch ?? 0
  return given === undefined ? latest : toInteger('leaderEpoch', given, latest, INT32_MAX)
}

function checkExpectedOffset(expected: Int64Input | undefined, actual: bigint): void {
  if (expected === undefined || toInt64('expectedNextOffset', expected) === actual) return
  throw new PartitionLogError(
    'ERR_OFFSET_CONFLICT',
    `the next offset is ${actual}, not ${expected}; read what came between and try again`,
    {
      expected,
      actual,
      offset: actual,
    },
  )
}

/** How batches of now are stamped. */
export function timeOf(config: LogConfig, nowMs: number): BatchTime {
  return config.messageTimestampType === 'LogAppendTime'
    ? { type: 'LogAppendTime', nowMs: BigInt(nowMs) }
    : CREATE_TIME
}
