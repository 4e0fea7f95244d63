/**
 * One segment: a stretch of the log from its base offset on, in a `.log` with
 * its two indexes. Appends go to the active segment; a sealed one only reads.
 *
 * The valid size, the index state and the largest timestamp are always those
 * of the bytes written so far. Rolling, retention and truncation are decided
 * elsewhere.
 */

import type {
  Lane,
  LogFile,
  OffsetIndexFile,
  Slice,
  SliceBounds,
  TimeIndexFile,
  Translation,
} from '../backend/contract.js'
import * as layout from '../format/layout.js'
import { maxTimestampIn } from './batch-header.js'
import { FlushMarks } from './flush-marks.js'
import {
  type BatchFacts,
  emptyIndexState,
  type IndexState,
  planIndexEntries,
  type TimestampOffset,
  timeEntry,
} from './index-plan.js'
import { truncateIndex } from './index-tail.js'
import { LazyFiles } from './lazy-files.js'
import type { OpenSegments } from './open-segments.js'
import type { RollFacts } from './roll-reason.js'
import {
  createSegmentFiles,
  type NewSegmentOptions,
  type SegmentHandles,
  type SegmentPlace,
} from './segment-files.js'
import { checkTranslation } from './translation-check.js'

export interface SegmentOptions {
  readonly place: SegmentPlace
  readonly openSegments: OpenSegments
  readonly baseOffset: bigint
  readonly indexIntervalBytes: number
  readonly createdMs: number
  readonly rollJitterMs: number
}

/** Whole batches, `bytes[0, length)`, with the facts that the indexes need; `seal`: one whose checksum is still to be set. */
export interface SegmentAppend {
  readonly bytes: Uint8Array
  readonly length: number
  readonly facts: readonly BatchFacts[]
  readonly seal: boolean
}

export class Segment {
  readonly baseOffset: bigint
  #indexIntervalBytes: number
  #rollJitterMs: number
  #createdMs: number
  readonly #files: LazyFiles
  #sizeInBytes: number
  #modifiedMs: number
  /** Undefined until the indexes were opened. */
  #indexState: IndexState | undefined
  /** Largest timestamp of the first batch, read when first asked for. */
  #firstTimestamp: bigint | undefined
  readonly #marks = new FlushMarks()

  private constructor(options: SegmentOptions, sizeInBytes: number, modifiedMs: number) {
    this.baseOffset = options.baseOffset
    this.#indexIntervalBytes = options.indexIntervalBytes
    this.#rollJitterMs = options.rollJitterMs
    this.#createdMs = options.createdMs
    this.#files = new LazyFiles(options.place, options.baseOffset, options.openSegments)
    this.#sizeInBytes = sizeInBytes
    this.#modifiedMs = modifiedMs
  }

  /** Makes the files of an empty active segment, index files at their full length. */
  static create(options: SegmentOptions, files: NewSegmentOptions): Segment {
    const segment = new Segment(options, 0, options.createdMs)
    segment.#files.adopt(createSegmentFiles(options.place, options.baseOffset, files))
    segment.#files.pin(true)
    segment.#indexState = emptyIndexState(options.baseOffset)
    segment.#marks.changed('log', 'offsetIndex', 'timeIndex')
    return segment
  }

  /** A segment that is there, by length and time of its `.log`. Opens nothing yet. */
  static existing(options: SegmentOptions, log: { sizeInBytes: number; modifiedMs: number }): Segment {
    return new Segment(options, log.sizeInBytes, log.modifiedMs)
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes
  }

  /** When its `.log` was last written to, ms since the epoch. */
  get modifiedMs(): number {
    return this.#modifiedMs
  }

  /** Its `.log`, for errors; opens nothing. */
  get logPath(): string {
    return this.#files.logPath
  }

  /** Whether its files are open. */
  get isOpen(): boolean {
    return this.#files.isOpen
  }

  /** The open files; opens them first where they are not. `ERR_CLOSED` once the segment is retired. */
  files(): SegmentHandles {
    return this.#files.get()
  }

  /** Appends whole batches with the index entries that come due; all or nothing. */
  append({ bytes, length, facts, seal }: SegmentAppend, nowMs: number): void {
    const { log, offsetIndex, timeIndex } = this.files()
    const plan = planIndexEntries(this.#state(), facts, {
      baseOffset: this.baseOffset,
      indexIntervalBytes: this.#indexIntervalBytes,
      position: log.sizeInBytes,
      offsetRoom: offsetIndex.capacity - offsetIndex.entries,
      timeRoom: timeIndex.capacity - 1 - timeIndex.entries,
    })
    const { state, ...entries } = plan
    log.append({ bytes, length, seal, ...entries }, offsetIndex, timeIndex)
    this.#marks.changed('log')
    if (entries.offsetEntries !== undefined) this.#marks.changed('offsetIndex')
    if (entries.timeEntries !== undefined) this.#marks.changed('timeIndex')
    if (this.#sizeInBytes === 0) this.#firstTimestamp = facts[0]?.maxTimestamp
    this.#indexState = state
    this.#sizeInBytes = log.sizeInBytes
    this.#modifiedMs = nowMs
  }

  /** What the roll decision needs to know. May read the first batch's header once. */
  rollFacts(): RollFacts {
    const { offsetIndex, timeIndex } = this.files()
    return {
      baseOffset: this.baseOffset,
      sizeInBytes: this.#sizeInBytes,
      firstTimestamp: this.firstTimestamp(),
      createdMs: this.#createdMs,
      rollJitterMs: this.#rollJitterMs,
      offsetEntries: offsetIndex.entries,
      offsetCapacity: offsetIndex.capacity,
      timeEntries: timeIndex.entries,
      timeCapacity: timeIndex.capacity,
    }
  }

  /** Largest timestamp of the first batch, which starts the roll clock. */
  firstTimestamp(): bigint | undefined {
    if (this.#firstTimestamp === undefined && this.#sizeInBytes > 0) {
      const { log } = this.files()
      const header = log.readBlocking(0, Math.min(layout.RECORDS_AT, log.sizeInBytes))
      this.#firstTimestamp = maxTimestampIn(header)
    }
    return this.#firstTimestamp
  }

  /** Largest timestamp and the last offset of its batch; timestamp -1 where there is none. */
  maxTimestamp(): TimestampOffset {
    return this.#state().maxTimestamp
  }

  /**
   * Ends the active life of the segment as Kafka does on roll and close: last
   * time index entry, indexes and a preallocated tail cut to what is used.
   */
  seal(): void {
    const { log, offsetIndex, timeIndex } = this.files()
    this.#marks.changed('log', 'offsetIndex', 'timeIndex')
    const { maxTimestamp, lastIndexedTimestamp } = this.#state()
    if (maxTimestamp.timestamp > lastIndexedTimestamp && timeIndex.entries < timeIndex.capacity) {
      timeIndex.append(timeEntry(maxTimestamp, this.baseOffset))
      this.#indexState = { ...this.#state(), lastIndexedTimestamp: maxTimestamp.timestamp }
    }
    offsetIndex.trim()
    timeIndex.trim()
    log.trim()
    this.#files.pin(false)
  }

  /** Makes a segment that is there the active one: its indexes grow back to `capacityBytes`. */
  activate(capacityBytes: number): void {
    const { offsetIndex, timeIndex } = this.files()
    this.#marks.changed('offsetIndex', 'timeIndex')
    try {
      offsetIndex.resize(capacityBytes)
      timeIndex.resize(capacityBytes)
    } catch (error) {
      // One at full length and one not would be taken for damage by the next open.
      offsetIndex.trim()
      timeIndex.trim()
      throw error
    }
    this.#files.pin(true)
  }

  /** Begins the life of an empty active segment anew, in the place of one with the same base offset. */
  renew({ indexIntervalBytes, createdMs, rollJitterMs }: SegmentOptions, capacityBytes: number): void {
    this.activate(capacityBytes)
    this.#indexIntervalBytes = indexIntervalBytes
    this.#createdMs = createdMs
    this.#rollJitterMs = rollJitterMs
  }

  /** Of a segment that is only read: nothing at or behind `sizeInBytes` counts. */
  endAt(sizeInBytes: number): void {
    this.#sizeInBytes = sizeInBytes
  }

  /** Index answer and batch for a relative offset. Throws `ERR_CORRUPT` where a header cannot be one. */
  translate(target: number): Translation {
    const { log, offsetIndex } = this.files()
    return this.#checked(log.translate(offsetIndex, target), offsetIndex, target)
  }

  /** Undefined where the bytes would have to be waited for. */
  sliceIfCached(target: number, bounds: SliceBounds): Slice | undefined {
    const { log, offsetIndex } = this.files()
    const slice = log.sliceIfCached(offsetIndex, target, bounds)
    return slice && this.#checkedSlice(slice, offsetIndex, target)
  }

  sliceBlocking(target: number, bounds: SliceBounds): Slice {
    const { log, offsetIndex } = this.files()
    return this.#checkedSlice(log.sliceBlocking(offsetIndex, target, bounds), offsetIndex, target)
  }

  async slice(lane: Lane, target: number, bounds: SliceBounds): Promise<Slice> {
    const { log, offsetIndex } = this.files()
    return this.#checkedSlice(await lane.slice(log, offsetIndex, target, bounds), offsetIndex, target)
  }

  /**
   * Drops the batch that holds `offset` and all behind it, and the index
   * entries from `offset` on; leaves the segment active with room in its
   * indexes. Follows LogSegment.truncateTo; the largest timestamp has to be
   * read again by the caller (`resetIndexState`).
   */
  truncateTo(offset: bigint, capacityBytes: number, nowMs: number): void {
    const { log, offsetIndex, timeIndex } = this.files()
    const relative = Number(offset - this.baseOffset)
    const { batch } = this.translate(relative)
    // Indexes first: an entry without its batch is harmless only while the batch is still there.
    truncateIndex(offsetIndex, relative)
    truncateIndex(timeIndex, relative)
    this.activate(capacityBytes)
    if (batch !== null) log.truncate(batch.position)
    this.#marks.changed('log')
    this.#sizeInBytes = log.sizeInBytes
    this.#modifiedMs = nowMs
    this.#firstTimestamp = undefined
    this.#indexState = undefined
    if (this.#sizeInBytes === 0) this.#createdMs = nowMs
  }

  /** Takes `maxTimestamp` where batches behind the last time index entry hold a larger one. */
  resetIndexState(tailMaxTimestamp: TimestampOffset): void {
    const state = this.#readIndexState()
    const maxTimestamp =
      tailMaxTimestamp.timestamp > state.maxTimestamp.timestamp ? tailMaxTimestamp : state.maxTimestamp
    this.#indexState = { ...state, maxTimestamp }
  }

  /** Whether all that was written to its files is on disk. */
  get isFlushed(): boolean {
    return this.#marks.isClean
  }

  /**
   * The files that changed since the last flush; `flushed` is to be called
   * when they, as they were at this moment, are on disk.
   */
  unflushed(): { files: (LogFile | OffsetIndexFile | TimeIndexFile)[]; flushed(): void } {
    const { files, flushed } = this.#marks.unflushed()
    if (files.length === 0) return { files: [], flushed }
    const handles = this.files()
    return { files: files.map((file) => handles[file]), flushed }
  }

  /** For good: the log is closed, or the segment is no longer part of it. Operations under way still end. */
  retire(): Promise<void> {
    return this.#files.retire()
  }

  #state(): IndexState {
    this.#indexState ??= this.#readIndexState()
    return this.#indexState
  }

  #readIndexState(): IndexState {
    const { timeIndex } = this.files()
    if (timeIndex.entries === 0) return emptyIndexState(this.baseOffset)
    const { timestamp, relativeOffset } = timeIndex.entry(timeIndex.entries - 1)
    return {
      bytesSinceLastEntry: 0,
      maxTimestamp: { timestamp, offset: this.baseOffset + BigInt(relativeOffset) },
      lastIndexedTimestamp: timestamp,
    }
  }

  #checkedSlice({ translation, bytes }: Slice, offsetIndex: OffsetIndexFile, target: number): Slice {
    return { translation: this.#checked(translation, offsetIndex, target), bytes }
  }

  #checked(translation: Translation, offsetIndex: OffsetIndexFile, target: number): Translation {
    const { baseOffset, logPath, sizeInBytes } = this
    return checkTranslation(translation, { baseOffset, logPath, sizeInBytes, offsetIndex, target })
  }
}
