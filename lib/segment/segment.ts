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
import { damagedBatch, maxTimestampIn } from './batch-header.js'
import { changedFiles, type FileExtents, fileExtents } from './file-extents.js'
import {
  type BatchFacts,
  emptyIndexState,
  type IndexState,
  planIndexEntries,
  type TimestampOffset,
  timeEntry,
} from './index-plan.js'
import { checkAnswer } from './index-sanity.js'
import { entriesBelow } from './index-search.js'
import type { OpenSegments } from './open-segments.js'
import type { RollFacts } from './roll-reason.js'
import {
  createSegmentFiles,
  type NewSegmentOptions,
  openSegmentFiles,
  type SegmentHandles,
  type SegmentPlace,
} from './segment-files.js'

export interface SegmentOptions {
  readonly place: SegmentPlace
  readonly openSegments: OpenSegments
  readonly baseOffset: bigint
  readonly createdMs: number
  readonly rollJitterMs: number
}

export class Segment {
  readonly baseOffset: bigint
  readonly rollJitterMs: number
  #createdMs: number
  readonly #place: SegmentPlace
  readonly #openSegments: OpenSegments
  #handles: SegmentHandles | undefined
  #sizeInBytes: number
  /** Undefined until the indexes were opened. */
  #indexState: IndexState | undefined
  /** Largest timestamp of the first batch, read when first asked for. */
  #firstTimestamp: bigint | undefined
  #isActive = false
  /** What the last flush covered; undefined: what was there when the segment was opened. */
  #flushed: FileExtents | undefined

  private constructor(options: SegmentOptions, sizeInBytes: number) {
    this.baseOffset = options.baseOffset
    this.rollJitterMs = options.rollJitterMs
    this.#createdMs = options.createdMs
    this.#place = options.place
    this.#openSegments = options.openSegments
    this.#sizeInBytes = sizeInBytes
  }

  /** Makes the files of an empty active segment, index files at their full length. */
  static create(options: SegmentOptions, files: NewSegmentOptions): Segment {
    const segment = new Segment(options, 0)
    segment.#handles = createSegmentFiles(options.place, options.baseOffset, files)
    segment.#indexState = emptyIndexState(options.baseOffset)
    segment.#isActive = true
    return segment
  }

  /** A segment that is there; `sizeInBytes` is its `.log`'s length. Opens nothing yet. */
  static existing(options: SegmentOptions, sizeInBytes: number): Segment {
    return new Segment(options, sizeInBytes)
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes
  }

  get createdMs(): number {
    return this.#createdMs
  }

  get isActive(): boolean {
    return this.#isActive
  }

  /** The open files; opens them first where they are not. */
  files(): SegmentHandles {
    this.#handles ??= openSegmentFiles(this.#place, this.baseOffset)
    if (!this.#isActive) this.#openSegments.touch(this)
    return this.#handles
  }

  /** Appends whole batches with the index entries that come due; all or nothing. */
  append(
    bytes: Uint8Array,
    length: number,
    batches: readonly BatchFacts[],
    seal: boolean,
    intervalBytes: number,
  ): void {
    const { log, offsetIndex, timeIndex } = this.files()
    const plan = planIndexEntries(this.#state(), batches, {
      baseOffset: this.baseOffset,
      indexIntervalBytes: intervalBytes,
      position: log.sizeInBytes,
      offsetRoom: offsetIndex.capacity - offsetIndex.entries,
      timeRoom: timeIndex.capacity - 1 - timeIndex.entries,
    })
    const { state, ...entries } = plan
    log.append({ bytes, length, seal, ...entries }, offsetIndex, timeIndex)
    if (this.#sizeInBytes === 0) this.#firstTimestamp = batches[0]?.maxTimestamp
    this.#indexState = state
    this.#sizeInBytes = log.sizeInBytes
  }

  /** What the roll decision needs to know. May read the first batch's header once. */
  rollFacts(): RollFacts {
    const { offsetIndex, timeIndex } = this.files()
    return {
      baseOffset: this.baseOffset,
      sizeInBytes: this.#sizeInBytes,
      firstTimestamp: this.firstTimestamp(),
      createdMs: this.#createdMs,
      rollJitterMs: this.rollJitterMs,
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
    const { maxTimestamp, lastIndexedTimestamp } = this.#state()
    if (maxTimestamp.timestamp > lastIndexedTimestamp && timeIndex.entries < timeIndex.capacity) {
      timeIndex.append(timeEntry(maxTimestamp, this.baseOffset))
      this.#indexState = { ...this.#state(), lastIndexedTimestamp: maxTimestamp.timestamp }
    }
    offsetIndex.trim()
    timeIndex.trim()
    log.trim()
    this.#isActive = false
    this.#openSegments.touch(this)
  }

  /** Makes a segment that is there the active one: its indexes grow back to `capacityBytes`. */
  activate(capacityBytes: number): void {
    const { offsetIndex, timeIndex } = this.files()
    offsetIndex.resize(capacityBytes)
    timeIndex.resize(capacityBytes)
    this.#isActive = true
    this.#openSegments.forget(this)
  }

  /** Of a segment that is only read: nothing at or behind `sizeInBytes` counts. */
  endAt(sizeInBytes: number): void {
    this.#sizeInBytes = sizeInBytes
  }

  /** Index answer and batch for a relative offset. Throws `ERR_CORRUPT` where a header cannot be one. */
  translate(target: number): Translation {
    const { log, offsetIndex } = this.files()
    return this.#sound(log.translate(offsetIndex, target), offsetIndex, target)
  }

  /** Undefined where the bytes would have to be waited for. */
  sliceIfCached(target: number, bounds: SliceBounds): Slice | undefined {
    const { log, offsetIndex } = this.files()
    return this.#soundSlice(log.sliceIfCached(offsetIndex, target, bounds), offsetIndex, target)
  }

  sliceBlocking(target: number, bounds: SliceBounds): Slice {
    const { log, offsetIndex } = this.files()
    return this.#soundSlice(log.sliceBlocking(offsetIndex, target, bounds), offsetIndex, target)
  }

  async slice(lane: Lane, target: number, bounds: SliceBounds): Promise<Slice> {
    const { log, offsetIndex } = this.files()
    return this.#soundSlice(await lane.slice(log, offsetIndex, target, bounds), offsetIndex, target)
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
    offsetIndex.truncate(
      entriesBelow(relative, offsetIndex.entries, (n) => offsetIndex.entry(n).relativeOffset),
    )
    timeIndex.truncate(entriesBelow(relative, timeIndex.entries, (n) => timeIndex.entry(n).relativeOffset))
    this.activate(capacityBytes)
    if (batch !== null) log.truncate(batch.position)
    this.#sizeInBytes = log.sizeInBytes
    this.#firstTimestamp = undefined
    this.#indexState = undefined
    this.#flushed = undefined
    if (this.#sizeInBytes === 0) this.#createdMs = nowMs
  }

  /** Takes `maxTimestamp` where batches behind the last time index entry hold a larger one. */
  resetIndexState(tailMaxTimestamp: TimestampOffset): void {
    const state = this.#readIndexState()
    const maxTimestamp =
      tailMaxTimestamp.timestamp > state.maxTimestamp.timestamp ? tailMaxTimestamp : state.maxTimestamp
    this.#indexState = { ...state, maxTimestamp }
  }

  /**
   * The files that changed since the last flush; `flushed` is to be called
   * when they, as they were at this moment, are on disk.
   */
  unflushed(): { files: (LogFile | OffsetIndexFile | TimeIndexFile)[]; flushed(): void } {
    const handles = this.files()
    const now = fileExtents(handles)
    const before = this.#flushed
    return {
      files: changedFiles(handles, before, now),
      flushed: () => {
        if (this.#flushed === before) this.#flushed = now
      },
    }
  }

  /** Lets go of the files; a later use opens them again. */
  async closeFiles(): Promise<void> {
    const handles = this.#handles
    this.#handles = undefined
    this.#openSegments.forget(this)
    if (handles === undefined) return
    await Promise.all([handles.log.close(), handles.offsetIndex.close(), handles.timeIndex.close()])
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

  #soundSlice<S extends Slice | undefined>(slice: S, offsetIndex: OffsetIndexFile, target: number): S {
    if (slice !== undefined) this.#sound(slice.translation, offsetIndex, target)
    return slice
  }

  #sound(translation: Translation, offsetIndex: OffsetIndexFile, target: number): Translation {
    const { stop, position } = translation
    if (stop === 'found') checkAnswer(offsetIndex, this.baseOffset, target, translation)
    if (stop === 'found' || stop === 'end') return translation
    throw damagedBatch(this.files().log.path, position, stop)
  }
}
