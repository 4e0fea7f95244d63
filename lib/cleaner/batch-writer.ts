/**
 * Writes what stays of a batch to the output: the batch as it is wherever that
 * can be, else with its records copied and a header of its own. The bytes are
 * those of Kafka's `MemoryRecords.filterTo`.
 */

import type { RecordKernel, RowRange } from '../backend/record-kernel.js'
import { loadedCodec } from '../format/compression.js'
import * as layout from '../format/layout.js'
import type { BatchChunks } from './batch-chunks.js'
import type { OpenedBatch } from './batch-records.js'
import type { CleanRun } from './clean-run.js'
import type { CleanedSegments } from './cleaned-segments.js'
import { keepsTombstones, type RecordVerdict, retainRecords } from './retain-record.js'
import {
  deleteHorizonOf,
  type NewTimes,
  newHorizonMs,
  newMaxTimestamp,
  newTimes,
  writeEmptyBatch,
  writeNewHeader,
} from './rewrite-batch.js'
import { upgradeBatch } from './upgrade-batch.js'

/** A batch of the chunk with its rows; `opened` where it is compressed. */
export interface BatchPlaceInChunk {
  readonly index: number
  readonly rows: RowRange
  readonly opened?: OpenedBatch
}

export class BatchWriter {
  readonly #run: CleanRun
  readonly #output: CleanedSegments
  readonly #kernel: RecordKernel
  readonly #chunks: BatchChunks
  readonly #latestOffset: bigint
  readonly #nowMs: bigint
  readonly #newHorizonMs: bigint
  readonly #crc32c: (bytes: Uint8Array, start: number, end: number) => number
  readonly #verdict: RecordVerdict = { kept: 0, tombstones: 0, withoutKey: 0 }
  /** Records on their way to a codec. */
  #scratch = Buffer.alloc(0)
  #latest = 0
  #keepsLegacyTombstones = true

  constructor(run: CleanRun, output: CleanedSegments, latestOffset: bigint) {
    const { job, tools, chunks } = run
    this.#run = run
    this.#output = output
    this.#kernel = tools.backend.records
    this.#chunks = chunks
    this.#latestOffset = latestOffset
    this.#nowMs = BigInt(job.nowMs)
    this.#newHorizonMs = newHorizonMs(job.nowMs, job.config.deleteRetentionMs)
    this.#crc32c = (bytes, start, end) => tools.backend.crc32c(bytes, start, end)
  }

  /** Goes on with another segment. `latest`: the map's end less the base offset. */
  begin(latest: number, keepsLegacy: boolean): void {
    this.#latest = latest
    this.#keepsLegacyTombstones = keepsLegacy
    this.#scratch = Buffer.alloc(0)
  }

  /** The batch as it is. */
  verbatim(index: number, count = this.#run.records.countOf(index)): void {
    const { bytes, starts, sizes } = this.#chunks
    const at = starts[index] as number
    const size = sizes[index] as number
    this.#output.room(size)
    bytes.copy(this.#output.buffer, this.#output.position, at, at + size)
    this.#add(index, size, maxTimestampAt(bytes, at), count)
  }

  /** Its header alone; of a batch of magic 2. */
  empty(index: number): void {
    const { bytes, starts } = this.#chunks
    const at = starts[index] as number
    this.#output.room(layout.BATCH_OVERHEAD)
    writeEmptyBatch(bytes, at, this.#output.buffer, this.#output.position, this.#crc32c)
    this.#add(index, layout.BATCH_OVERHEAD, bytes.readBigInt64BE(at + layout.MAX_TIMESTAMP_AT), 0)
  }

  /** All records, and a delete horizon. */
  withHorizon(batch: BatchPlaceInChunk): void {
    const { from, count } = batch.rows
    this.#run.records.rows.columns.keep.fill(1, from, from + count)
    this.#rewrite(batch, count, this.#newHorizonMs)
  }

  /** The records that stay, in a batch that stays empty where none does, if its header is needed. */
  byRecord(batch: BatchPlaceInChunk, staysEmpty: boolean): void {
    const { index, rows } = batch
    const isCurrent = this.#run.records.isCurrent(index)
    const horizonMs = isCurrent
      ? deleteHorizonOf(this.#chunks.bytes, this.#chunks.starts[index] as number)
      : null
    const { kept, tombstones } = this.#retain(batch, isCurrent, horizonMs)
    if (kept === 0) {
      if (staysEmpty && isCurrent) this.empty(index)
      else if (staysEmpty) this.#upgradeWhole(batch)
      return
    }
    const needsHorizon = isCurrent && tombstones > 0 && horizonMs === null
    if (!isCurrent) this.#upgrade(batch, kept, tombstones > 0 ? this.#newHorizonMs : null)
    else if (kept === rows.count && !needsHorizon) this.verbatim(index, kept)
    else this.#rewrite(batch, kept, needsHorizon ? this.#newHorizonMs : null)
  }

  #retain({ index, rows }: BatchPlaceInChunk, isCurrent: boolean, horizonMs: bigint | null): RecordVerdict {
    const isReached = (this.#chunks.lastOffsets[index] as number) <= this.#latest
    const rule = {
      latestOffset: isReached ? null : this.#latestOffset,
      keepsTombstones: isCurrent ? keepsTombstones(horizonMs, this.#nowMs) : this.#keepsLegacyTombstones,
    }
    const { columns } = this.#run.records.rows
    const verdict = retainRecords(columns, rows.from, rows.count, rule, this.#verdict)
    this.#run.counts.recordsWithoutKey += verdict.withoutKey
    return verdict
  }

  /** `horizonMs`: to be set, or null. */
  #rewrite({ index, rows, opened }: BatchPlaceInChunk, kept: number, horizonMs: bigint | null): void {
    const { bytes, starts, sizes } = this.#chunks
    const at = starts[index] as number
    const { columns } = this.#run.records.rows
    const times = newTimes(bytes, at, columns, rows, horizonMs)
    const recordBytes =
      opened === undefined
        ? this.#copyRecords(rows, times, sizes[index] as number)
        : this.#compressRecords(index, opened, rows, times)
    const sizeInBytes = layout.RECORDS_AT + recordBytes
    // What would be too large to be read again stays as it is, and was not.
    if (this.#isTooLarge(sizeInBytes, sizes[index] as number)) {
      this.verbatim(index, rows.count)
      return
    }
    const maxTimestamp = newMaxTimestamp(bytes, at, columns.largestTimestampDelta[0] as bigint)
    const header = { sizeInBytes, count: kept, times, maxTimestamp }
    writeNewHeader(bytes, at, this.#output.buffer, this.#output.position, header, this.#crc32c)
    this.#add(index, sizeInBytes, maxTimestamp, kept)
  }

  /** Copies records to their place in the output; gives their bytes. */
  #copyRecords(rows: RowRange, { move }: NewTimes, sizeInBytes: number): number {
    const { columns } = this.#run.records.rows
    // They get longer only where timestamps move far away, by a few bytes each.
    for (let size = sizeInBytes; ; size *= 2) {
      this.#output.room(size)
      const { buffer, position } = this.#output
      const start = position + layout.RECORDS_AT
      const end =
        start > buffer.length ? -1 : this.#kernel.copy(this.#chunks.bytes, columns, rows, move, buffer, start)
      if (end >= 0) return end - start
    }
  }

  #compressRecords(index: number, opened: OpenedBatch, rows: RowRange, { move }: NewTimes): number {
    const { columns } = this.#run.records.rows
    let end = -1
    for (let size = opened.bytes.length; end < 0; size *= 2) {
      if (this.#scratch.length < size) this.#scratch = Buffer.allocUnsafeSlow(size)
      end = this.#kernel.copy(opened.bytes, columns, rows, move, this.#scratch, 0)
    }
    const compressed = loadedCodec(this.#run.records.codecOf(index)).compress(this.#scratch.subarray(0, end))
    this.#output.room(layout.RECORDS_AT + compressed.length)
    this.#output.buffer.set(compressed, this.#output.position + layout.RECORDS_AT)
    return compressed.length
  }

  /** Of the old formats no batch can be empty: where its header is needed all of it stays (Kafka fails). */
  #upgradeWhole(batch: BatchPlaceInChunk): void {
    const { from, count } = batch.rows
    const { keep, valueSizes } = this.#run.records.rows.columns
    keep.fill(1, from, from + count)
    const hasTombstone = valueSizes.subarray(from, from + count).includes(-1)
    this.#upgrade(batch, count, hasTombstone ? this.#newHorizonMs : null)
  }

  /** In magic 2, as Kafka's cleaner does it, whether anything of it goes or not. */
  #upgrade({ index, rows, opened }: BatchPlaceInChunk, kept: number, horizonMs: bigint | null): void {
    const { records } = this.#run
    const entry = records.legacyEntry(index)
    const { bytes, firstOffset, lastOffset, maxTimestamp } = upgradeBatch(
      entry,
      opened?.bytes ?? this.#chunks.bytes,
      records.rows.columns,
      rows,
      horizonMs,
    )
    if (this.#isTooLarge(bytes.length, entry.sizeInBytes)) {
      this.verbatim(index, rows.count)
      return
    }
    this.#output.room(bytes.length)
    this.#output.buffer.set(bytes, this.#output.position)
    const sizeInBytes = bytes.length
    this.#output.add({ sizeInBytes, baseOffset: firstOffset, lastOffset, maxTimestamp, count: kept })
  }

  #isTooLarge(sizeInBytes: number, before: number): boolean {
    return sizeInBytes > before && sizeInBytes > this.#run.job.settings.maxBatchBytes
  }

  #add(index: number, sizeInBytes: number, maxTimestamp: bigint, count: number): void {
    const baseOffset = this.#chunks.firstOffsetOf(index)
    const lastOffset = this.#chunks.lastOffsetOf(index)
    this.#output.add({ sizeInBytes, baseOffset, lastOffset, maxTimestamp, count })
  }
}

/** Of the batch at `bytes[at, …)`; -1 for magic 0. */
function maxTimestampAt(bytes: Buffer, at: number): bigint {
  const magic = bytes[at + layout.MAGIC_AT]
  if (magic === 2) return bytes.readBigInt64BE(at + layout.MAX_TIMESTAMP_AT)
  return magic === 1 ? bytes.readBigInt64BE(at + layout.LEGACY_TIMESTAMP_AT) : layout.NO_TIMESTAMP
}
