/**
 * Appending: records or batches to the active segment, offsets assigned (as
 * leader) or taken as given (as follower). Everything is checked and decided
 * before the one write; the new end is published in the same turn.
 */

import { INT32_MAX, INT64_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { segmentBytesOf } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { InvalidBatchError, PartitionLogError, UnsupportedError, wrongType } from '../errors.js'
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
import type { BatchFacts } from '../segment/index-plan.js'
import { rollReason } from '../segment/roll-reason.js'
import { checkKeys, checkSize, checkTimestamps } from './append-check.js'
import { announce } from './events.js'
import { type LeaderEpochs, NO_EPOCHS } from './leader-epochs.js'
import type { LogCore } from './log-core.js'
import { activeSegment } from './log-state.js'
import { failedWrite, type Rolled, roll } from './roll.js'

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

/** Where an append went. */
export interface Appended {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
}

/** A leader epoch with the offset where it was seen, or a batch that carries none. */
export type EpochChange = { readonly epoch: number; readonly startOffset: bigint } | 'none'

/** Bytes to append, one or more whole batches, with what was decided about them. */
export interface BatchesToAppend {
  readonly bytes: Uint8Array
  readonly length: number
  readonly facts: readonly BatchFacts[]
  readonly firstOffset: bigint
  readonly maxTimestamp: bigint
  /** Base offset of a new segment, if one is needed. */
  readonly rollBaseOffset: bigint
  /** Leader epochs to note, in order. */
  readonly epochs: readonly EpochChange[]
  /** One batch of our own whose checksum is still to be set. */
  readonly seal: boolean
}

/** Appends `records` as one batch. Nothing is written where it throws. */
export function appendRecords(
  core: LogCore,
  records: readonly RecordInput[],
  options: AppendOptions,
): Appended {
  core.assertWritable()
  if (!Array.isArray(records)) throw wrongType('records', 'an array of records', records)
  checkKnown(options, APPEND_OPTIONS)
  checkKeys(records, core.config)
  const nowMs = core.env.clock.nowMs()
  const encoded = core.encoder.encodeRecords(records, nowMs)
  checkTimestamps(encoded, records, nowMs, core.config)
  return appendEncoded(core, encoded, options, nowMs)
}

/**
 * Appends records that are encoded, and perhaps compressed already, as one
 * batch.
 */
export function appendEncoded(
  core: LogCore,
  records: EncodedRecords,
  options: AppendOptions,
  nowMs: number,
  compressed?: { readonly bytes: Uint8Array; readonly codec: CodecName },
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
    },
  ])
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
 * Rolls if it must, writes, publishes, for each group of batches; then, with
 * the log in order, tells who listens. The one way into the active segment.
 */
export function writeBatches(core: LogCore, groups: readonly BatchesToAppend[]): Appended {
  const announcements: (() => void)[] = []
  try {
    for (const group of groups) writeGroup(core, group, announcements)
  } finally {
    for (const tell of announcements) tell()
  }
  const [first, last] = [groups[0] as BatchesToAppend, groups[groups.length - 1] as BatchesToAppend]
  return { baseOffset: first.firstOffset, lastOffset: lastOffsetOf(last) }
}

function writeGroup(core: LogCore, batches: BatchesToAppend, announcements: (() => void)[]): void {
  const { length, firstOffset: baseOffset } = batches
  const lastOffset = lastOffsetOf(batches)
  if (lastOffset >= INT64_MAX) throw noOffsetsLeft(core, lastOffset)
  const rolled = rollIfDue(core, batches, lastOffset)
  if (rolled !== undefined) announcements.push(rolled.announce)
  try {
    activeSegment(core.state).append(batches, core.config.indexIntervalBytes, core.env.clock.nowMs())
  } catch (error) {
    throw failedWrite(core, error)
  }
  core.epochs = batches.epochs.reduce(noteEpoch, core.epochs)
  publishEnd(core, lastOffset + 1n)
  announcements.push(() =>
    announce('append', () => ({ log: core.env.name, baseOffset, lastOffset, sizeInBytes: length })),
  )
}

function lastOffsetOf({ facts }: BatchesToAppend): bigint {
  return (facts[facts.length - 1] as BatchFacts).lastOffset
}

function noOffsetsLeft({ env }: LogCore, lastOffset: bigint): InvalidBatchError {
  const message = `${env.name} would end at ${lastOffset}, behind the last offset that there is: begin a new log`
  return new InvalidBatchError('ERR_INVALID_BATCH', message, { offset: lastOffset, expected: INT64_MAX })
}

function publishEnd(core: LogCore, logEndOffset: bigint): void {
  core.endOfRecords = logEndOffset
  const watermarks =
    core.env.highWatermark === 'auto' ? { highWatermark: logEndOffset, lastStableOffset: logEndOffset } : {}
  core.publish({ logEndOffset, ...watermarks })
  if (logEndOffset - core.state.recoveryPoint >= core.config.flushMessages) core.flushBehind(logEndOffset)
}

/** Kafka forgets all epochs when a batch of an old format comes, which carries none. */
function noteEpoch(epochs: LeaderEpochs, change: EpochChange): LeaderEpochs {
  return change === 'none' ? NO_EPOCHS : epochs.assigned(change.epoch, change.startOffset)
}

function rollIfDue(core: LogCore, batches: BatchesToAppend, lastOffset: bigint): Rolled | undefined {
  const { config } = core
  const reason = rollReason(activeSegment(core.state).rollFacts(), {
    appendBytes: batches.length,
    lastOffset,
    maxTimestamp: batches.maxTimestamp,
    nowMs: core.env.clock.nowMs(),
    maxSegmentBytes: segmentBytesOf(config),
    maxSegmentMs: maxSegmentMs(config),
  })
  return reason === 'none' ? undefined : roll(core, batches.rollBaseOffset, reason)
}

/** A compacted log rolls early enough for `max.compaction.lag.ms`. */
export function maxSegmentMs(config: LogConfig): number {
  if (!config.cleanupPolicy.includes('compact')) return config.segmentMs
  return Math.min(config.segmentMs, config.maxCompactionLagMs)
}

/** The codec that a batch of this log is written with. */
export function compressionOf(
  config: LogConfig,
  options: AppendOptions,
): { codec: CodecName; level?: number } {
  const setting = config.compressionType
  const codec =
    setting === 'producer' ? (options.compression ?? 'none') : setting === 'uncompressed' ? 'none' : setting
  const level = options.compressionLevel ?? levelOf(config, codec)
  return level === undefined ? { codec } : { codec, level }
}

function levelOf(config: LogConfig, codec: CodecName): number | undefined {
  switch (codec) {
    case 'gzip':
      return config.compressionGzipLevel
    case 'lz4':
      return config.compressionLz4Level
    case 'zstd':
      return config.compressionZstdLevel
    default:
      return undefined
  }
}

function headerOf(core: LogCore, options: AppendOptions): BatchHeader {
  const { logEndOffset: baseOffset } = core.state
  checkExpectedOffset(options.expectedNextOffset, baseOffset)
  const partitionLeaderEpoch = leaderEpochOf(core, options.leaderEpoch)
  const header = { ...PLAIN_HEADER, baseOffset, partitionLeaderEpoch }
  const { producer } = options
  if (producer === undefined) return header
  if (producer?.transactional === true) {
    throw new UnsupportedError('ERR_UNSUPPORTED', 'transactional appends are not in this version yet')
  }
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

function timeOf(config: LogConfig, nowMs: number): BatchTime {
  return config.messageTimestampType === 'LogAppendTime'
    ? { type: 'LogAppendTime', nowMs: BigInt(nowMs) }
    : { type: 'CreateTime' }
}
