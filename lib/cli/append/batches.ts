/**
 * Records to batches with limits of their own: so many records each, or what
 * was there at once up to a size. Each batch is one append.
 */

import { addToSequence } from '../../format/record-batch.js'
import type { AppendOptions, CodecName, PartitionLog, RecordInput } from '../../index.js'
import type { BatchTimes } from '../arguments.js'
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

/** Appends all `records`; what came in together goes out before more is read, but for what `batchRecords` holds back. */
export async function appendBatched(
  log: PartitionLog,
  records: AsyncIterable<RecordInput[]>,
  options: BatchingOptions,
  appended: Appended,
): Promise<void> {
  const { batchRecords } = options
  const append = appendingTo(log, options, appended)
  let gathered: RecordInput[] = []
  for await (const some of records) {
    gathered = gathered.length === 0 ? some : gathered.concat(some)
    const sizes =
      batchRecords === undefined ? sizesByBytes(gathered) : sizesByCount(gathered.length, batchRecords)
    let start = 0
    for (const size of sizes) {
      append(gathered.slice(start, start + size))
      start += size
    }
    gathered = gathered.slice(start)
    if (options.durable === true) await log.flush()
  }
  if (gathered.length > 0) append(gathered)
  if (options.durable === true) await log.flush()
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

function count(
  appended: Appended,
  { baseOffset, lastOffset }: { baseOffset: bigint; lastOffset: bigint },
  records: number,
): void {
  appended.records += records
  appended.batches = (appended.batches ?? 0) + 1
  appended.baseOffset ??= baseOffset
  appended.lastOffset = lastOffset
}

/** Whole batches only; what is left waits. */
function sizesByCount(records: number, batchRecords: number): number[] {
  return new Array<number>(Math.floor(records / batchRecords)).fill(batchRecords)
}

function sizesByBytes(records: readonly RecordInput[]): number[] {
  const sizes: number[] = []
  let size = 0
  let bytes = 0
  for (const record of records) {
    const recordBytes = sizeOf(record)
    if (size > 0 && bytes + recordBytes > BATCH_BYTES) {
      sizes.push(size)
      size = 0
      bytes = 0
    }
    size++
    bytes += recordBytes
  }
  if (size > 0) sizes.push(size)
  return sizes
}
