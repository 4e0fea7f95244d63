/**
 * Appending batches as they are on the wire. As leader: one batch of a
 * producer, checked record by record, which gets its offsets here. As
 * follower: batches with their offsets, taken as they are; gaps are fine,
 * steps back are not.
 */

import { INT32_MAX, INT64_MAX, toInteger } from '../base/int64.js'
import { InvalidBatchError, PartitionLogError, wrongType } from '../errors.js'
import type { Batch } from '../format/batch.js'
import { recordBatches } from '../format/batches.js'
import * as layout from '../format/layout.js'
import type { RecordInput } from '../format/record.js'
import type { BatchFacts } from '../segment/index-plan.js'
import { type AppendOptions, leaderEpochOf, writeEncoded } from './append.js'
import { checkProducerBatch, checkSize } from './append-check.js'
import { compressionOf } from './append-codec.js'
import { type Appended, assignedBatch, type BatchesToAppend, type EpochChange } from './batches-to-append.js'
import type { LogCore } from './log-core.js'
import { maxOffset } from './log-state.js'
import { type ProducerHeader, producerHeaderOf } from './producers/producer-header.js'
import { writeBatches } from './write-batches.js'

export interface AppendBatchesOptions {
  readonly origin: 'leader' | 'follower'
  /** As leader: the epoch written into the batch. As follower: batches of a higher epoch are not taken. */
  readonly leaderEpoch?: number
}

export interface AppendedBatches extends Appended {
  /** Bytes that were taken. */
  readonly appendedBytes: number
  readonly rejected: Rejection | null
}

/** Why bytes were not taken: the last batch is cut short, or its leader epoch is above the one given. */
export interface Rejection {
  /** Of the first byte that was not taken. */
  readonly position: number
  readonly reason: 'cut-short' | 'newer-epoch'
}

/** Null where `bytes` holds no whole batch to take. */
export function appendBatches(
  core: LogCore,
  bytes: Uint8Array,
  options: AppendBatchesOptions,
): AppendedBatches | null {
  try {
    core.assertWritable()
    if (!(bytes instanceof Uint8Array)) throw wrongType('bytes', 'a Uint8Array', bytes)
    if (options?.leaderEpoch !== undefined) toInteger('leaderEpoch', options.leaderEpoch, 0, INT32_MAX)
    if (options?.origin === 'leader') return appendAsLeader(core, bytes, options)
    if (options?.origin === 'follower') return appendAsFollower(core, bytes, options)
    throw wrongType('options.origin', "'leader' or 'follower'", options?.origin)
  } catch (error) {
    throw core.counters.refused(error)
  }
}

function appendAsLeader(
  core: LogCore,
  bytes: Uint8Array,
  options: AppendBatchesOptions,
): AppendedBatches | null {
  const { limits } = core.env
  const { maxDecompressedMessageBytes: maxRecordBytes } = core.config
  const batches = [...recordBatches(bytes, { ...limits, maxRecordBytes })]
  const [batch] = batches
  if (batch === undefined) return null
  if (batches.length > 1)
    throw new InvalidBatchError(
      'ERR_INVALID_BATCH',
      `${batches.length} batches: a leader takes one at a time`,
    )
  if (batch.sizeInBytes < bytes.length) {
    throw new InvalidBatchError('ERR_INVALID_BATCH', 'bytes remain behind the batch', {
      position: batch.sizeInBytes,
    })
  }
  checkChecksum(batch, 0)
  checkSize(batch.sizeInBytes, core.config)
  const nowMs = core.env.clock.nowMs()
  const maxTimestamp = checkProducerBatch(batch, nowMs, core.config)
  const appended = mustRecompress(core, batch)
    ? recompressed(core, batch, options, nowMs)
    : assigned(core, batch, maxTimestamp, options, nowMs)
  return { ...appended, appendedBytes: bytes.length, rejected: null }
}

function mustRecompress(core: LogCore, batch: Batch): boolean {
  return core.config.compressionType !== 'producer' && compressionOf(core.config, {}).codec !== batch.codec
}

/** The log's own `compression.type` wins over the producer's codec, as in a broker. */
function recompressed(core: LogCore, batch: Batch, options: AppendBatchesOptions, nowMs: number): Appended {
  const records: RecordInput[] = [...batch.records()]
  const encoded = core.encoder.encodeRecords(records, nowMs)
  return writeEncoded(core, encoded, appendOptions(batch, options), nowMs)
}

function appendOptions(batch: Batch, { leaderEpoch }: AppendBatchesOptions): AppendOptions {
  const epoch = leaderEpoch === undefined ? {} : { leaderEpoch }
  if (batch.producerId < 0n) return epoch
  return {
    ...epoch,
    producer: {
      id: batch.producerId,
      epoch: batch.producerEpoch,
      baseSequence: batch.baseSequence,
      transactional: batch.isTransactional,
    },
  }
}

/** Offsets, leader epoch and timestamps are set in a copy; the records stay as they came. */
function assigned(
  core: LogCore,
  batch: Batch,
  maxTimestamp: bigint,
  options: AppendBatchesOptions,
  nowMs: number,
): Appended {
  const copy = Buffer.from(batch.bytes)
  const firstOffset = core.state.logEndOffset
  const epoch = leaderEpochOf(core, options.leaderEpoch)
  const appendTime = core.config.messageTimestampType === 'LogAppendTime'
  const batchMaxTimestamp = appendTime ? BigInt(nowMs) : maxTimestamp
  copy.writeBigInt64BE(firstOffset, layout.BASE_OFFSET_AT)
  copy.writeInt32BE(epoch, layout.LEADER_EPOCH_AT)
  copy.writeInt16BE(batch.attributes | (appendTime ? layout.TIMESTAMP_TYPE_BIT : 0), layout.ATTRIBUTES_AT)
  copy.writeBigInt64BE(batchMaxTimestamp, layout.MAX_TIMESTAMP_AT)
  const lastOffset = firstOffset + BigInt(batch.count - 1)
  const taken = assignedBatch({
    ...{ bytes: copy, length: copy.length, baseOffset: firstOffset, lastOffset, epoch, count: batch.count },
    maxTimestamp: batchMaxTimestamp,
    producers: {
      headers: assignedHeaders(batch, firstOffset, lastOffset, batchMaxTimestamp),
      origin: 'client',
    },
  })
  return writeBatches(core, [taken])
}

/** The producer's side of the batch, with the offsets and the time that it gets here. */
function assignedHeaders(
  batch: Batch,
  baseOffset: bigint,
  lastOffset: bigint,
  maxTimestamp: bigint,
): ProducerHeader[] {
  const header = producerHeaderOf(batch)
  return header === undefined ? [] : [{ ...header, baseOffset, lastOffset, maxTimestamp }]
}

function appendAsFollower(
  core: LogCore,
  bytes: Uint8Array,
  options: AppendBatchesOptions,
): AppendedBatches | null {
  const { batches, appendedBytes, rejected } = takeable(core, bytes, options.leaderEpoch)
  const [first] = batches
  if (first === undefined) return null
  const firstOffset = firstOffsetOf(first)
  checkOrder(batches)
  checkStart(firstOffset, core.state.logEndOffset)
  let position = 0
  const groups = withinOneSegment(batches).map((group) => {
    const start = position
    position = group.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, start)
    return groupToAppend(group, bytes.subarray(start, position))
  })
  return { ...writeBatches(core, groups), appendedBytes, rejected }
}

function groupToAppend(group: readonly Batch[], bytes: Uint8Array): BatchesToAppend {
  const first = group[0] as Batch
  const { lastOffset } = group[group.length - 1] as Batch
  return {
    bytes,
    length: bytes.length,
    facts: group.map(factsOf),
    firstOffset: firstOffsetOf(first),
    // An old batch does not tell its first offset: Kafka takes the least that the last one allows.
    rollBaseOffset: first.magic === 2 ? first.baseOffset : lastOffset - BigInt(INT32_MAX),
    maxTimestamp: group.map(({ maxTimestamp }) => maxTimestamp).reduce(maxOffset, layout.NO_TIMESTAMP),
    epochs: group.map(epochOf),
    seal: false,
    count: group.reduce((sum, batch) => sum + countOf(batch), 0),
    producers: { headers: group.flatMap((batch) => producerHeaderOf(batch) ?? []), origin: 'replication' },
  }
}

function checkStart(firstOffset: bigint, logEndOffset: bigint): void {
  if (firstOffset >= logEndOffset) return
  throw new PartitionLogError(
    'ERR_OFFSET_CONFLICT',
    `the first batch starts at ${firstOffset}, below the log's end ${logEndOffset}`,
    { offset: firstOffset, expected: logEndOffset, actual: firstOffset, logEndOffset },
  )
}

/** Offsets of a segment span at most 31 bits: batches that lie further apart are written one group after the other. */
function withinOneSegment(batches: readonly Batch[]): Batch[][] {
  const groups: Batch[][] = []
  let limit = -1n
  for (const batch of batches) {
    if (batch.lastOffset > limit) {
      groups.push([])
      limit = firstOffsetOf(batch) + BigInt(INT32_MAX)
    }
    groups.at(-1)?.push(batch)
  }
  return groups
}

/** The base offset of a compressed old batch would have to be unpacked; its last serves. */
function firstOffsetOf(batch: Batch): bigint {
  return batch.magic === 2 ? batch.baseOffset : batch.lastOffset
}

/** The whole, sound batches from the start on; a damaged one refuses all of them. */
function takeable(core: LogCore, bytes: Uint8Array, leaderEpoch: number | undefined) {
  const batches: Batch[] = []
  let position = 0
  for (const batch of recordBatches(bytes, core.env.limits)) {
    if (leaderEpoch !== undefined && batch.partitionLeaderEpoch > leaderEpoch) {
      return { batches, appendedBytes: position, rejected: { position, reason: 'newer-epoch' as const } }
    }
    checkChecksum(batch, position)
    batches.push(batch)
    position += batch.sizeInBytes
  }
  const rejected = position < bytes.length ? { position, reason: 'cut-short' as const } : null
  return { batches, appendedBytes: position, rejected }
}

function checkOrder(batches: readonly Batch[]): void {
  let last = -1n
  let position = 0
  for (const batch of batches) {
    if (
      batch.lastOffset <= last ||
      (batch.magic === 2 && (batch.baseOffset <= last || batch.lastOffset < batch.baseOffset)) ||
      batch.lastOffset === INT64_MAX
    ) {
      throw new InvalidBatchError(
        'ERR_INVALID_BATCH',
        `last offset ${batch.lastOffset} is not above ${last} and the batch's base offset, or leaves none for the next`,
        { position },
      )
    }
    last = batch.lastOffset
    position += batch.sizeInBytes
  }
}

function factsOf({ sizeInBytes, lastOffset, maxTimestamp }: Batch): BatchFacts {
  return { sizeInBytes, lastOffset, maxTimestamp }
}

/** A compressed batch of an old format would have to be opened to know. */
function countOf(batch: Batch): number {
  return batch.magic === 2 ? batch.count : 1
}

function epochOf({ magic, partitionLeaderEpoch, baseOffset }: Batch): EpochChange {
  return magic === 2 ? { epoch: partitionLeaderEpoch, startOffset: baseOffset } : 'none'
}

function checkChecksum(batch: Batch, position: number): void {
  if (batch.isValid()) return
  throw new InvalidBatchError(
    'ERR_INVALID_BATCH',
    `the checksum ${batch.crc} of the batch at position ${position} is not that of its bytes`,
    {
      position,
      actual: batch.crc,
    },
  )
}
