/**
 * Appending: records or batches to the active segment, offsets assigned (as
 * leader) or taken as given (as follower). Everything is checked and decided
 * before the one write; the new end is published in the same turn.
 */

import { INT32_MAX, INT64_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import type { LogConfig } from '../config/settings.js'
import { InvalidBatchError, PartitionLogError, wrongType } from '../errors.js'
import {
  assembleBatch,
  assembleCompressed,
  type BatchHeader,
  type BatchTime,
  type EncodedRecords,
  PLAIN_HEADER,
} from '../format/batch-encoder.js'
import type { CodecName } from '../format/compression.js'
import { RECORDS_AT } from '../format/layout.js'
import { type ProducerInput, producerFields } from '../format/producer-input.js'
import type { RecordInput } from '../format/record.js'
import { addToSequence } from '../format/record-batch.js'
import { lastOffsetOf } from '../segment/segment-append.js'
import { checkKeys, checkSize, checkTimestamps } from './append-check.js'
import { compressionOf } from './append-codec.js'
import { type Appended, type BatchesToAppend, noteEpoch } from './batches-to-append.js'
import { dueRoll } from './due-roll.js'
import { announce } from './events.js'
import type { LogCore } from './log-core.js'
import { activeSegment } from './log-state.js'
import {
  applyProducers,
  NO_PRODUCERS,
  type ProducerBatches,
  planProducers,
} from './producers/append-producers.js'
import type { ProducerHeader } from './producers/producer-header.js'
import { publishEnd } from './publish-end.js'
import { failedWrite, roll } from './roll.js'
import { newFileOptions } from './segment-options.js'

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

/** Appends `records` as one batch. Nothing is written where it throws. */
export function appendRecords(
  core: LogCore,
  records: readonly RecordInput[],
  options: AppendOptions,
): Appended {
  try {
    core.assertWritable()
    if (!Array.isArray(records)) throw wrongType('records', 'an array of records', records)
    checkKnown(options, APPEND_OPTIONS)
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
  const compression = compressed ?? compressionOf(core.config, options)
  if (compression.codec !== 'none') checkOpens(records, core.env.limits.maxDecompressedBytes)
  const header = headerOf(core, options)
  const time = timeOf(core.config, nowMs)
  const batch =
    compressed === undefined
      ? assembleBatch(records, header, time, compression)
      : assembleCompressed(compressed.bytes, records, header, time, compressed.codec)
  checkSize(batch.length, core.config)
  const lastOffset = header.baseOffset + BigInt(records.count - 1)
  const maxTimestamp = time.type === 'LogAppendTime' ? time.nowMs : records.maxTimestamp
  return writeBatches(core, [
    {
      bytes: batch,
      length: batch.length,
      facts: [{ sizeInBytes: batch.length, lastOffset, maxTimestamp }],
      firstOffset: header.baseOffset,
      rollBaseOffset: header.baseOffset,
      maxTimestamp,
      epochs: [{ epoch: header.partitionLeaderEpoch, startOffset: header.baseOffset }],
      seal: true,
      count: records.count,
      producers: producersOf(header, lastOffset, maxTimestamp),
    },
  ])
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
function checkOpens({ bytes }: EncodedRecords, limit: number): void {
  const actual = bytes.length - RECORDS_AT
  if (actual <= limit) return
  throw new InvalidBatchError(
    'ERR_BATCH_TOO_LARGE',
    `a compressed batch of ${actual} bytes could not be read with maxDecompressedBytes=${limit}; append fewer records at once, or open the log with a larger limit`,
    { actual, expected: limit },
  )
}

/**
 * Asks for room for all of it; then, for each group of batches, rolls if it
 * must, writes, publishes; then, with the log in order, tells who listens. The
 * one way into the active segment.
 */
export function writeBatches(core: LogCore, groups: readonly BatchesToAppend[]): Appended {
  const startedMs = core.env.clock.nowMs()
  const first = groups[0] as BatchesToAppend
  const length = groups.length === 1 ? first.length : groups.reduce((sum, group) => sum + group.length, 0)
  core.space.check(length, core.config.preallocate ? bytesForRolls(core, groups, startedMs) : 0, startedMs)
  const announcements: (() => void)[] = []
  let written: Appended | undefined
  try {
    for (const group of groups) written = writeGroup(core, group, startedMs, announcements)
  } finally {
    for (const tell of announcements) tell()
  }
  core.counters.appended(core.env.clock.nowMs() - startedMs)
  const { baseOffset, lastOffset, duplicate } = written as Appended
  return { baseOffset: duplicate ? baseOffset : first.firstOffset, lastOffset, duplicate }
}

/** What new segments take at once: one if a roll is due, and one for each group behind the first, which always needs its own. */
function bytesForRolls(core: LogCore, groups: readonly BatchesToAppend[], nowMs: number): number {
  const first = dueRoll(core, groups[0] as BatchesToAppend, nowMs) === 'none' ? 0 : 1
  return newFileOptions(core.config).preallocateBytes * (first + groups.length - 1)
}

function writeGroup(
  core: LogCore,
  batches: BatchesToAppend,
  nowMs: number,
  announcements: (() => void)[],
): Appended {
  const { length, firstOffset: baseOffset } = batches
  const lastOffset = lastOffsetOf(batches)
  if (lastOffset >= INT64_MAX) throw noOffsetsLeft(core, lastOffset)
  const reason = dueRoll(core, batches, nowMs)
  if (reason !== 'none') announcements.push(roll(core, batches.rollBaseOffset, reason).announce)
  const before = core.epochs
  // As in Kafka the epoch has begun and the segment has rolled even where the producer's batch is then not taken.
  core.epochs = batches.epochs.reduce(noteEpoch, before)
  const planned = planProducers(core, batches.producers)
  if ('duplicate' in planned) {
    const { firstOffset, lastOffset } = planned.duplicate
    return { baseOffset: firstOffset, lastOffset, duplicate: true }
  }
  try {
    activeSegment(core.state).append(batches, nowMs)
  } catch (error) {
    core.epochs = before
    throw failedWrite(core, error)
  }
  core.space.took(length)
  core.counters.wrote(batches.count, length)
  applyProducers(core, planned.plan, lastOffset + 1n)
  publishEnd(core, lastOffset + 1n)
  announcements.push(() =>
    announce('append', () => ({ log: core.env.name, baseOffset, lastOffset, sizeInBytes: length })),
  )
  return { baseOffset, lastOffset, duplicate: false }
}

function noOffsetsLeft({ env }: LogCore, lastOffset: bigint): InvalidBatchError {
  const message = `${env.name} would end at ${lastOffset}, behind the last offset that there is: begin a new log`
  return new InvalidBatchError('ERR_INVALID_BATCH', message, { offset: lastOffset, expected: INT64_MAX })
}

function headerOf(core: LogCore, options: AppendOptions): BatchHeader {
  const { logEndOffset: baseOffset } = core.state
  checkExpectedOffset(options.expectedNextOffset, baseOffset)
  const partitionLeaderEpoch = leaderEpochOf(core, options.leaderEpoch)
  const header = { ...PLAIN_HEADER, baseOffset, partitionLeaderEpoch }
  const { producer } = options
  if (producer === undefined) return header
  return { ...header, ...producerFields(producer) }
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
    : { type: 'CreateTime' }
}
