/**
 * The second pass over one segment's chunks: decides for each batch what stays
 * of it, and hands that to the output in the order of the log.
 *
 * Batches wait until the records of many can be looked up in the map at once;
 * a compressed one is looked at by itself. No record above the map's end is
 * dropped (but for what transactions leave behind); as in Kafka, a batch there
 * gets a delete horizon already if it has a tombstone.
 */

import * as layout from '../format/layout.js'
import { NO_PRODUCER_ID } from '../format/layout.js'
import { type BatchPlaceInChunk, BatchWriter } from './batch-writer.js'
import type { LastRecord, SegmentToClean } from './clean-job.js'
import type { CleanRun } from './clean-run.js'
import type { CleanedSegments } from './cleaned-segments.js'
import { hasAttribute, observeBatch } from './observe-batch.js'
import {
  type BatchRetention,
  type BatchRetentionContext,
  BY_RECORDS,
  isHeaderNeeded,
  retainBatch,
} from './retain-batch.js'
import { keepsLegacyTombstones } from './retain-record.js'
import { deleteHorizonOf } from './rewrite-batch.js'
import type { TransactionFilter } from './transaction-filter.js'

type Action = number
const VERBATIM: Action = 0
const EMPTY: Action = 1
/** Its records decide. */
const BY_RECORD: Action = 2
/** The same, and its header stays whatever they say. */
const BY_RECORD_OR_EMPTY: Action = 3
/** All records stay, and it gets a delete horizon. */
const WITH_HORIZON: Action = 4
const DROP: Action = 5

export class BatchCopier {
  readonly #run: CleanRun
  readonly #filter: TransactionFilter
  readonly #writer: BatchWriter
  readonly #latestOffset: bigint
  readonly #context: BatchRetentionContext
  readonly #cleanModifiedMs: number | undefined
  /** Of the segment, as offsets less its base. */
  #latest = 0
  #lastReadable = 0
  /** Batches that wait: place in the chunk, action, first row and number of rows. */
  readonly #waiting: Int32Array
  readonly #actions: Uint8Array
  readonly #firstRows: Int32Array
  readonly #rowCounts: Int32Array
  #waitingCount = 0

  constructor(run: CleanRun, output: CleanedSegments, filter: TransactionFilter, latestOffset: bigint) {
    const { job, chunks } = run
    this.#run = run
    this.#filter = filter
    this.#latestOffset = latestOffset
    this.#writer = new BatchWriter(run, output, latestOffset)
    this.#context = {
      producers: new Map(job.producers.map((last): [bigint, LastRecord] => [last.producerId, last])),
      highWatermark: job.highWatermark,
      nowMs: BigInt(job.nowMs),
    }
    this.#cleanModifiedMs = job.segments.findLast(
      ({ baseOffset }) => baseOffset < job.firstDirtyOffset,
    )?.modifiedMs
    const capacity = chunks.starts.length
    this.#waiting = new Int32Array(capacity)
    this.#actions = new Uint8Array(capacity)
    this.#firstRows = new Int32Array(capacity)
    this.#rowCounts = new Int32Array(capacity)
  }

  /** Goes on with another segment. */
  begin({ baseOffset, modifiedMs }: SegmentToClean): void {
    const { deleteRetentionMs } = this.#run.job.config
    this.#latest = Number(this.#latestOffset - baseOffset)
    this.#lastReadable = Number(this.#context.highWatermark - 1n - baseOffset)
    this.#writer.begin(
      this.#latest,
      keepsLegacyTombstones(modifiedMs, this.#cleanModifiedMs, deleteRetentionMs),
    )
  }

  copyChunk(): void {
    const { chunks, counts } = this.#run
    for (let index = 0; index < chunks.count; index++) this.#take(index)
    this.#flush()
    counts.bytesRead += chunks.sizeInBytes
  }

  #take(index: number): void {
    const { records } = this.#run
    const action = this.#decide(index)
    if (action === DROP) return
    if (action === VERBATIM || action === EMPTY) this.#wait(index, action, 0)
    else if (records.isPlain(index)) this.#takePlain(index, action)
    else this.#takeCompressed(index, action)
  }

  #takePlain(index: number, action: Action): void {
    const { records } = this.#run
    const count = records.countOf(index)
    if (!records.rows.hasRoom(count)) {
      this.#flush()
      records.makeRoom(index, count)
    }
    this.#wait(index, action, count)
    records.add(index)
  }

  #wait(index: number, action: Action, rowCount: number): void {
    this.#waiting[this.#waitingCount] = index
    this.#actions[this.#waitingCount] = action
    this.#firstRows[this.#waitingCount] = this.#run.records.rows.count
    this.#rowCounts[this.#waitingCount] = rowCount
    this.#waitingCount++
  }

  #decide(index: number): Action {
    const { chunks, records, counts, job } = this.#run
    const isDiscardable = observeBatch(this.#filter, chunks, index, job.settings.maxDecompressedBytes)
    const retention = this.#retention(index, isDiscardable)
    if (retention.whenEmpty === 'delete') return DROP
    const isOpened = records.isPlain(index) || records.isCurrent(index)
    const count = isOpened ? records.countOf(index) : undefined
    counts.recordsRead += count ?? 0
    const staysEmpty = retention.whenEmpty === 'retain-empty'
    if (retention.discardsRecords || count === 0) return staysEmpty ? EMPTY : DROP
    if (hasAttribute(chunks, index, layout.CONTROL_BIT))
      return retention.isMarkerOfNothing && !hasAttribute(chunks, index, layout.DELETE_HORIZON_BIT)
        ? WITH_HORIZON
        : VERBATIM
    if (isOpened && records.isCurrent(index) && this.#isBehind(index)) return VERBATIM
    return staysEmpty ? BY_RECORD_OR_EMPTY : BY_RECORD
  }

  /** Nothing of it can change: it lies behind the map's end, and its tombstones, if it has any, have their horizon. */
  #isBehind(index: number): boolean {
    const { chunks } = this.#run
    if ((chunks.firstOffsets[index] as number) <= this.#latest) return false
    return hasAttribute(chunks, index, layout.DELETE_HORIZON_BIT)
  }

  /** What `retainBatch` says; most batches have nothing about them that it would have to be asked about. */
  #retention(index: number, isDiscardable: boolean): BatchRetention {
    const { chunks, records } = this.#run
    const isLast = (chunks.lastOffsets[index] as number) === this.#lastReadable
    const isControl = hasAttribute(chunks, index, layout.CONTROL_BIT)
    const mayBeProducers = this.#context.producers.size > 0 && records.isCurrent(index)
    if (!isLast && !isControl && !isDiscardable && !mayBeProducers) return BY_RECORDS
    const batch = this.#headerOf(index, isControl)
    if (!isControl && !isDiscardable && !isHeaderNeeded(batch, this.#context)) return BY_RECORDS
    const at = chunks.starts[index] as number
    const deleteHorizonMs = records.isCurrent(index) ? deleteHorizonOf(chunks.bytes, at) : null
    return retainBatch({ ...batch, deleteHorizonMs, isDiscardable }, this.#context)
  }

  #headerOf(index: number, isControl: boolean) {
    const { chunks, records } = this.#run
    const at = chunks.starts[index] as number
    const lastOffset = chunks.lastOffsetOf(index)
    if (!records.isCurrent(index))
      return {
        isControl,
        lastOffset,
        producerId: NO_PRODUCER_ID,
        producerEpoch: layout.NO_PRODUCER_EPOCH,
      }
    const producerId = chunks.bytes.readBigInt64BE(at + layout.PRODUCER_ID_AT)
    const producerEpoch = chunks.bytes.readInt16BE(at + layout.PRODUCER_EPOCH_AT)
    return { isControl, lastOffset, producerId, producerEpoch }
  }

  #takeCompressed(index: number, action: Action): void {
    const { records, map, counts } = this.#run
    this.#flush()
    const opened = records.open(index)
    const { rows } = records
    if (!records.isCurrent(index)) counts.recordsRead += rows.count
    const range = { from: 0, count: rows.count }
    map.markSuperseded(opened.bytes, rows.columns, range)
    this.#write(action, { index, rows: range, opened })
    rows.clear()
  }

  #flush(): void {
    const { chunks, records, map } = this.#run
    const { rows } = records
    if (rows.count > 0) map.markSuperseded(chunks.bytes, rows.columns, { from: 0, count: rows.count })
    for (let n = 0; n < this.#waitingCount; n++) {
      const rowRange = { from: this.#firstRows[n] as number, count: this.#rowCounts[n] as number }
      this.#write(this.#actions[n] as Action, { index: this.#waiting[n] as number, rows: rowRange })
    }
    this.#waitingCount = 0
    rows.clear()
  }

  #write(action: Action, batch: BatchPlaceInChunk): void {
    if (action === VERBATIM) this.#writer.verbatim(batch.index)
    else if (action === EMPTY) this.#writer.empty(batch.index)
    else if (action === WITH_HORIZON) this.#writer.withHorizon(batch)
    else this.#writer.byRecord(batch, action === BY_RECORD_OR_EMPTY)
  }
}
