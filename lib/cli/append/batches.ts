/**
 * Records to batches with limits of their own: so many records each, or what
 * was there at once up to a size. Each batch is one append.
 */

import { addToSequence } from '../../format/record-batch.js'
import type { AppendOptions, AppendResult, CodecName, PartitionLog, RecordInput } from '../../index.js'
import type { BatchTimes } from '../arguments.js'
import { UsageError } from '../failure.js'
import { sizeOf } from './record-size.js'

/** Counts what was appended, also when the input fails later. */
export interface Appended {
  records: number
  /** Null where batches were left to the appender. */
  batches: number | null
  baseOffset: bigint | null
  lastOffset: bigint | null
}

export interface BatchingOptions {
  /** Exactly so many in each batch but the last. */
  readonly batchRecords?: number
  readonly timestamp?: BatchTimes
  readonly compression?: CodecName
  readonly durable?: boolean
  readonly producer?: ProducerStart
}

export interface ProducerStart {
  readonly id: bigint
  readonly epoch: number
  /** Of the next record. */
  readonly sequence: number
}

/** Kafka's `batch.size`: bytes of records gathered in one batch. */
const BATCH_BYTES = 16_384
/** Gathered for one batch of `batchRecords`; no log takes so large a batch. */
const MAX_GATHERED_BYTES = 128 * 1024 * 1024

/** Appends all `records`; what came in together goes out before more is read, but for what `batchRecords` holds back. */
export async function appendBatched(
  log: PartitionLog,
  records: AsyncIterable<RecordInput[]>,
  options: BatchingOptions,
  appended: Appended,
): Promise<void> {
  const { batchRecords, durable } = options
  const append = appendingTo(log, options, appended)
  let gathered: RecordInput[] = []
  let gatheredBytes = 0
  const appendGathered = () => {
    if (gathered.length > 0) append(gathered)
    gathered = []
    gatheredBytes = 0
  }
  for await (const some of records) {
    for (const record of some) {
      const bytes = sizeOf(record)
      if (batchRecords === undefined && gatheredBytes + bytes > BATCH_BYTES) appendGathered()
      gathered.push(record)
      gatheredBytes += bytes
      if (gathered.length === batchRecords) appendGathered()
    }
    if (batchRecords === undefined) appendGathered()
    if (gatheredBytes > MAX_GATHERED_BYTES)
      throw new UsageError(
        `${batchRecords} records are more than ${MAX_GATHERED_BYTES} bytes: ask for fewer in a batch`,
      )
    if (durable === true) await log.flush()
  }
  appendGathered()
  if (durable === true) await log.flush()
}

/** What appends one batch and counts it. */
function appendingTo(
  log: PartitionLog,
  { timestamp, compression, producer }: BatchingOptions,
  appended: Appended,
): (records: RecordInput[]) => void {
  let timestampMs = timestamp?.firstMs
  let sequence = producer?.sequence ?? 0
  return (records) => {
    const options: AppendOptions = {
      ...(compression === undefined ? {} : { compression }),
      ...(producer === undefined
        ? {}
        : { producer: { id: producer.id, epoch: producer.epoch, baseSequence: sequence } }),
    }
    const stamped = timestampMs === undefined ? records : stamp(records, timestampMs)
    count(appended, log.append(stamped, options), records.length)
    if (timestamp !== undefined && timestampMs !== undefined) timestampMs += timestamp.stepMs
    sequence = addToSequence(sequence, records.length)
  }
}

/** The records with this timestamp. */
export function stamp(records: readonly RecordInput[], timestamp: bigint): RecordInput[] {
  return records.map((record) => ({ ...record, timestamp }))
}

function count(appended: Appended, { baseOffset, lastOffset }: AppendResult, records: number): void {
  appended.records += records
  appended.batches = (appended.batches ?? 0) + 1
  appended.baseOffset ??= baseOffset
  appended.lastOffset = lastOffset
}
