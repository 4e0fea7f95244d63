/**
 * One segment: a stretch of the log from its base offset on, in a `.log` with
 * its two indexes. Appends go to the active one; a sealed one only reads.
 *
 * The valid size, the index state and the largest timestamp are always those
 * of the bytes written so far, whether the files are open or not. Rolling,
 * retention and truncation are decided elsewhere.
 */

import type { Lane } from '../backend/contract.js'
import * as layout from '../format/layout.js'
import { firstHeader, maxTimestampIn } from './batch-header.js'
import type { FaultListener } from './file-faults.js'
import { FlushMarks } from './flush-marks.js'
import { emptyIndexState, type IndexState, type TimestampOffset, timeEntry } from './index-plan.js'
import { truncateIndex } from './index-tail.js'
import { LazyFiles } from './lazy-files.js'
import type { OpenSegments } from './open-segments.js'
import { ReadableSegment } from './readable-segment.js'
import type { RollFacts } from './roll-reason.js'
import {
  type AppendTarget,
  appendTo,
  isOneBatch,
  lastOffsetOf,
  type SegmentAppend,
} from './segment-append.js'
import type { NewSegmentOptions, SegmentPlace } from './segment-files.js'

export interface SegmentOptions {
  readonly place: SegmentPlace
  readonly openSegments: OpenSegments
  readonly baseOffset: bigint
  readonly indexIntervalBytes: number
  readonly createdMs: number
  readonly rollJitterMs: number
  /** As for `Segment.listen`. */
  readonly onFileFault?: FaultListener
}

/** What a roll is decided by is asked of the segment itself. */
export class Segment extends ReadableSegment implements RollFacts, AppendTarget {
  indexIntervalBytes: number
  rollJitterMs: number
  createdMs: number
  #modifiedMs: number
  /** Undefined until it was asked for; then it stays, whatever becomes of the files. */
  #indexState: IndexState | undefined
  /** Largest timestamp of the first batch, read when first asked for. */
  #firstTimestamp: bigint | undefined
  /** @internal */
  readonly marks: FlushMarks

  private constructor(options: SegmentOptions, sizeInBytes: number, modifiedMs: number) {
    const { place, baseOffset, openSegments } = options
    const marks = new FlushMarks()
    super(baseOffset, new LazyFiles(place, baseOffset, openSegments, marks), sizeInBytes)
    this.indexIntervalBytes = options.indexIntervalBytes
    this.rollJitterMs = options.rollJitterMs
    this.createdMs = options.createdMs
    this.#modifiedMs = modifiedMs
    this.marks = marks
    if (options.onFileFault !== undefined) this.listen(options.onFileFault)
  }

  /** Makes the files of an empty active segment, index files at their full length. */
  static create(options: SegmentOptions, files: NewSegmentOptions): Segment {
    const segment = new Segment(options, 0, options.createdMs)
    segment.files.create(files)
    segment.#indexState = emptyIndexState(options.baseOffset)
    return segment
  }

  /** A segment that is there, by length and time of its `.log`. Opens nothing yet. */
  static existing(options: SegmentOptions, log: { sizeInBytes: number; modifiedMs: number }): Segment {
    return new Segment(options, log.sizeInBytes, log.modifiedMs)
  }

  /** When its `.log` was last written to, ms since the epoch. */
  get modifiedMs(): number {
    return this.#modifiedMs
  }

  /** Whether its files are open. */
  get isOpen(): boolean {
    return this.files.isOpen
  }

  /** `tell` hears of failures to close its files when others needed room for theirs; never within their turn. */
  listen(tell: FaultListener): void {
    this.files.faults.listen(tell)
  }

  /** Appends whole batches with the index entries that come due; all or nothing. */
  append(batches: SegmentAppend, nowMs: number): void {
    const files = this.files.getForAppend()
    this.#indexState = appendTo(files, batches, this.#state(), this)
    if (this.size === 0) this.#firstTimestamp = batches.facts[0]?.maxTimestamp
    this.#remember(batches)
    this.size = files.log.sizeInBytes
    this.#modifiedMs = nowMs
  }

  get offsetEntries(): number {
    return this.files.offsetEntries
  }

  get offsetCapacity(): number {
    return this.files.offsetCapacity
  }

  get timeEntries(): number {
    return this.files.timeEntries
  }

  get timeCapacity(): number {
    return this.files.timeCapacity
  }

  /** Largest timestamp of the first batch, which starts the roll clock. May read the batch's header once. */
  get firstTimestamp(): bigint | undefined {
    if (this.#firstTimestamp === undefined && this.size > 0) {
      this.#firstTimestamp = maxTimestampIn(firstHeader(this.files.get().log))
    }
    return this.#firstTimestamp
  }

  /** `firstTimestamp` does not block this turn once it has resolved. */
  async readFirstTimestamp(lane: Lane): Promise<void> {
    if (this.#firstTimestamp !== undefined || this.size === 0) return
    this.#firstTimestamp = maxTimestampIn(await this.read(lane, 0, Math.min(layout.RECORDS_AT, this.size)))
  }

  /**
   * Largest timestamp and the last offset of its batch; timestamp -1 where there is none. The first call
   * opens the time index of a sealed segment that is not open, alone and for this turn; later ones open nothing.
   */
  maxTimestamp(): TimestampOffset {
    return this.#state().maxTimestamp
  }

  /** The same timestamp without a look at any file; undefined where that was never asked for. */
  get knownMaxTimestamp(): bigint | undefined {
    return this.#indexState?.maxTimestamp.timestamp
  }

  /** Ends its active life as Kafka does on roll and close: last time index entry, files cut to what is used. */
  seal(): void {
    const { maxTimestamp, lastIndexedTimestamp } = this.#state()
    if (maxTimestamp.timestamp > lastIndexedTimestamp) {
      this.files.addTimeEntry(timeEntry(maxTimestamp, this.baseOffset))
      this.#indexState = { ...this.#state(), lastIndexedTimestamp: maxTimestamp.timestamp }
    }
    this.files.seal()
  }

  /** Makes a segment that is there the active one; no file changes before it is grown or appended to. */
  activate(capacityBytes: number): void {
    this.files.activate(capacityBytes)
  }

  /** Gives the indexes of the active segment their full length. */
  grow(): void {
    this.files.getForAppend()
  }

  /** Begins the life of an empty active segment anew, in the place of one with the same base offset. */
  renew({ indexIntervalBytes, createdMs, rollJitterMs }: SegmentOptions, capacityBytes: number): void {
    this.activate(capacityBytes)
    this.indexIntervalBytes = indexIntervalBytes
    this.createdMs = createdMs
    this.rollJitterMs = rollJitterMs
  }

  /** Before a log is closed that nobody changed: the length of its indexes is again what it was. Needs no flush. */
  takeRoomBack(): void {
    this.files.takeRoomBack()
  }

  /** Its indexes were not there, and have just been made, empty. */
  noteIndexesMade(): void {
    this.marks.changed('offsetIndex', 'timeIndex')
  }

  /** Of a segment that is only read: nothing at or behind `sizeInBytes` counts. */
  endAt(sizeInBytes: number): void {
    this.size = sizeInBytes
  }

  /** How often its files were opened: whoever only reads has to know whether they are still those that it looked at. */
  get openings(): number {
    return this.files.openings
  }

  /** Of a segment that is only read: its files are opened anew, with what another has written since. Operations under way still end. */
  reopen(): void {
    this.files.reopen()
  }

  /**
   * Drops the batch that holds `offset` and all behind it, and the index
   * entries from `offset` on; leaves the segment active with room in its
   * indexes. Follows LogSegment.truncateTo; the largest timestamp has to be
   * read again by the caller (`resetIndexState`).
   */
  truncateTo(offset: bigint, capacityBytes: number, nowMs: number): void {
    const { log, offsetIndex, timeIndex } = this.files.get()
    const relative = this.relative(offset)
    const { batch } = this.translate(relative)
    this.activate(capacityBytes)
    // Where it is sealed: what is cut from its indexes leaves room in them, which belongs to an active segment.
    this.grow()
    this.marks.changed('log', 'offsetIndex', 'timeIndex')
    // Indexes first: an entry without its batch is harmless only while the batch is still there.
    truncateIndex(offsetIndex, relative)
    truncateIndex(timeIndex, relative)
    this.recent.forget()
    if (batch !== null) log.truncate(batch.position)
    this.size = log.sizeInBytes
    this.#modifiedMs = nowMs
    this.#firstTimestamp = undefined
    this.#indexState = undefined
    if (this.size === 0) this.createdMs = nowMs
  }

  /** Takes `maxTimestamp` where batches behind the last time index entry hold a larger one. */
  resetIndexState(tailMaxTimestamp: TimestampOffset): void {
    const state = this.#readIndexState()
    const maxTimestamp =
      tailMaxTimestamp.timestamp > state.maxTimestamp.timestamp ? tailMaxTimestamp : state.maxTimestamp
    this.#indexState = { ...state, maxTimestamp }
  }

  /** Of a sealed segment on its way to other names: its files stay open until what it gives is called. */
  hold(): () => void {
    return this.files.hold()
  }

  /** They have their new names. */
  moved(place: SegmentPlace): void {
    this.files.moved(place)
  }

  /** Whether all that was written to its files is on disk. */
  get isFlushed(): boolean {
    return this.marks.isClean
  }

  /** Whether it is as it was found: nothing was written, cut or made. */
  get isUntouched(): boolean {
    return this.marks.isUntouched
  }

  /** On return all that was written before the call is on disk. Opens no file where it is already. */
  async flush(lane: Lane): Promise<void> {
    if (this.isFlushed) return
    await this.files.during('flushes', async (handles) => {
      const { files, flushed } = this.marks.unflushed()
      await lane.flush(files.map((file) => handles[file]))
      flushed()
    })
  }

  /** For good: the log is closed, or the segment is no longer part of it. Operations under way still end. */
  retire(): Promise<void> {
    this.recent.forget()
    return this.files.retire()
  }

  #remember(batches: SegmentAppend): void {
    const { firstOffset } = batches
    if (firstOffset === undefined || !isOneBatch(batches)) this.recent.forget()
    else this.recent.note(this.relative(firstOffset), this.relative(lastOffsetOf(batches)), this.size)
  }

  #state(): IndexState {
    this.#indexState ??= this.#readIndexState()
    return this.#indexState
  }

  #readIndexState(): IndexState {
    const last = this.files.lastTimeEntry()
    if (last === null) return emptyIndexState(this.baseOffset)
    const { timestamp, relativeOffset } = last
    return {
      bytesSinceLastEntry: 0,
      maxTimestamp: { timestamp, offset: this.baseOffset + BigInt(relativeOffset) },
      lastIndexedTimestamp: timestamp,
    }
  }
}
