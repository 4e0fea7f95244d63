/**
 * A segment's files as they are needed: opened on first use, closed when too
 * many are open, gone for good when the segment is.
 *
 * Closed or open makes no difference to what counts in them. Those of the
 * active segment are trimmed when they are closed, so that they lie on disk as
 * after a clean close, and its indexes grow back with the next append. Growing
 * and trimming are no changes that need an fsync: a trim that a power failure
 * undoes is found when the segment is opened.
 */

import type { TimeIndexEntry } from '../backend/contract.js'
import { ClosedError } from '../errors.js'
import { checkUnchanged, cutTail, dropRoom, type FileFacts, factsOf, hasRoom } from './file-facts.js'
import { FileFaults } from './file-faults.js'
import type { FlushMarks } from './flush-marks.js'
import { OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES } from './index-plan.js'
import { lastEntry, readLastTimeEntry } from './last-time-entry.js'
import type { Evictable, OpenSegments } from './open-segments.js'
import {
  checkSegmentFiles,
  closeSegmentFiles,
  createSegmentFiles,
  type NewSegmentOptions,
  openSegmentFiles,
  type SegmentHandles,
  type SegmentPlace,
  segmentPath,
} from './segment-files.js'

export class LazyFiles implements Evictable {
  /** Failed evictions: never told within another's turn. */
  readonly faults = new FileFaults()
  lastUse = 0
  /** How often its files were opened. */
  openings = 0
  #place: SegmentPlace
  #logPath: string | undefined
  readonly #baseOffset: bigint
  readonly #openSegments: OpenSegments
  readonly #marks: FlushMarks
  #handles: SegmentHandles | undefined
  /** What counted in the files when they were last closed; undefined before that. */
  #before: FileFacts | undefined
  /** The trim of the last eviction failed. */
  #isTailLeft = false
  /** Length of each index of the active segment while it is written to; undefined for a sealed one. */
  #capacityBytes: number | undefined
  /** What the open indexes have behind their entries: nothing, as much as the active segment is to have, or something between. */
  #room: 'none' | 'some' | 'full' = 'none'
  #holds = 0
  #isRetired = false

  constructor(place: SegmentPlace, baseOffset: bigint, openSegments: OpenSegments, marks: FlushMarks) {
    this.#place = place
    this.#baseOffset = baseOffset
    this.#openSegments = openSegments
    this.#marks = marks
  }

  get logPath(): string {
    this.#logPath ??= segmentPath(this.#place, this.#baseOffset, 'log')
    return this.#logPath
  }

  get isActive(): boolean {
    return this.#capacityBytes !== undefined
  }

  get isHeld(): boolean {
    return this.#holds > 0
  }

  get isOpen(): boolean {
    return this.#handles !== undefined
  }

  /** Makes the files of a new active segment, the indexes at their full length. */
  create(options: NewSegmentOptions): void {
    this.#openSegments.makeRoom()
    this.#handles = createSegmentFiles(this.#place, this.#baseOffset, options)
    this.#capacityBytes = options.capacityBytes
    this.#room = 'full'
    this.#openSegments.opened(this)
    this.#marks.changed('log', 'offsetIndex', 'timeIndex')
  }

  /** The open files, for use within this turn. `ERR_CLOSED` once retired. */
  get(): SegmentHandles {
    this.lastUse = this.#openSegments.nextUse()
    this.#handles ??= this.#open()
    return this.#handles
  }

  /** The same, with room in the indexes of the active segment. */
  getForAppend(): SegmentHandles {
    const handles = this.get()
    if (this.#room !== 'full' && this.#capacityBytes !== undefined) this.#grow(handles, this.#capacityBytes)
    return handles
  }

  /** Runs `work` on a thread, the files open until it ends; waits while many are at it. */
  during<T>(kind: 'reads' | 'flushes', work: (handles: SegmentHandles) => Promise<T>): Promise<T> {
    return this.#openSegments[kind].pass(async () => {
      this.#holds++
      try {
        return await work(this.get())
      } finally {
        this.#holds--
        this.#openSegments.released()
      }
    })
  }

  /** Opens the files, and keeps them open until what it gives is called: they are on their way to other names. */
  hold(): () => void {
    this.get()
    this.#holds++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds--
      this.#openSegments.released()
    }
  }

  /** The files lie in `place` from now on: the next use opens them there. */
  moved(place: SegmentPlace): void {
    this.#place = place
    this.#logPath = undefined
    this.reopen()
  }

  get offsetEntries(): number {
    return this.#handles === undefined ? this.facts().offsetEntries : this.#handles.offsetIndex.entries
  }

  get timeEntries(): number {
    return this.#handles === undefined ? this.facts().timeEntries : this.#handles.timeIndex.entries
  }

  /** Entries of the active segment's index can come until this many, however long the file is just now. */
  get offsetCapacity(): number {
    if (this.#capacityBytes === undefined) return this.facts().offsetCapacity
    return Math.max(this.offsetEntries, Math.floor(this.#capacityBytes / OFFSET_ENTRY_BYTES))
  }

  get timeCapacity(): number {
    if (this.#capacityBytes === undefined) return this.facts().timeCapacity
    return Math.max(this.timeEntries, Math.floor(this.#capacityBytes / TIME_ENTRY_BYTES))
  }

  /** What counts in the files as they are. Opens them where that was never asked for. */
  facts(): FileFacts {
    this.#checkNotRetired()
    return this.#handles === undefined ? (this.#before ?? factsOf(this.get())) : factsOf(this.#handles)
  }

  /** Null where there is none. Of closed files of a sealed segment it opens the one, and closes it again. */
  lastTimeEntry(): TimeIndexEntry | null {
    if (this.isActive || this.#handles !== undefined) return lastEntry(this.get().timeIndex)
    this.#checkNotRetired()
    return readLastTimeEntry(this.#place, this.#baseOffset, this.#before?.timeEntries, (error) =>
      this.faults.tell(error),
    )
  }

  /** From now on the files are an active segment's; they grow when they are next got for an append. */
  activate(capacityBytes: number): void {
    this.#capacityBytes = capacityBytes
    if (this.#room === 'full') this.#room = 'some'
  }

  /** One more entry of the active segment's time index, unless that is full. */
  addTimeEntry(entry: Uint8Array): void {
    const { timeIndex } = this.get()
    const { timeEntries } = this
    if (timeEntries >= this.timeCapacity) return
    this.#room = 'some'
    this.#marks.changed('timeIndex')
    if (timeEntries >= timeIndex.capacity) timeIndex.resize((timeEntries + 1) * TIME_ENTRY_BYTES)
    timeIndex.append(entry)
  }

  /** The segment is not to be appended to any more: cuts its files to what is used. */
  seal(): void {
    this.#marks.changed('log', 'offsetIndex', 'timeIndex')
    this.#trim(this.get())
    this.#capacityBytes = undefined
  }

  /** Cuts files that nobody wrote to back to the length at which they were found. */
  takeRoomBack(): void {
    if (this.#room !== 'none' || this.#isTailLeft) this.#trim(this.get())
  }

  /** Lets go of the files in favour of others; a later use opens them again. */
  evict(): void {
    const handles = this.#handles
    if (handles === undefined) return
    this.#handles = undefined
    this.#before = factsOf(handles)
    this.#trimAndClose(handles).catch((error: unknown) => this.faults.tell(error))
  }

  /** Of files that are not written to here: the next use opens them anew, and sees what another has written since. */
  reopen(): void {
    const handles = this.#handles
    if (handles === undefined) return
    this.#handles = undefined
    this.#openSegments.closed(this)
    closeSegmentFiles(handles).catch((error: unknown) => this.faults.tell(error))
  }

  /**
   * For good, and as they are: the log is closed, or the segment is no longer
   * part of it. Operations under way still end.
   */
  async retire(): Promise<void> {
    const handles = this.#handles
    this.#isRetired = true
    this.#handles = undefined
    this.#openSegments.closed(this)
    if (handles !== undefined) await closeSegmentFiles(handles)
  }

  #open(): SegmentHandles {
    this.#checkNotRetired()
    this.#openSegments.makeRoom()
    const handles = openSegmentFiles(this.#place, this.#baseOffset)
    try {
      this.#resume(handles)
    } catch (error) {
      closeSegmentFiles(handles).catch((failure: unknown) => this.faults.tell(failure))
      throw error
    }
    this.#openSegments.opened(this)
    this.openings++
    return handles
  }

  /** Files that others write may have changed; ours may not, but for a tail that could not be cut. */
  #resume(handles: SegmentHandles): void {
    const before = this.#place.mode === 'write' ? this.#before : undefined
    if (before !== undefined && this.#isTailLeft) cutTail(handles, before)
    if (before !== undefined) checkUnchanged(handles, before)
    else if (this.#capacityBytes !== undefined) dropRoom(handles, this.#capacityBytes)
    checkSegmentFiles(handles, this.#place.mode)
    this.#isTailLeft = false
    if (this.#place.mode === 'write' && hasRoom(handles)) this.#room = 'some'
  }

  #grow({ offsetIndex, timeIndex }: SegmentHandles, capacityBytes: number): void {
    this.#room = 'some'
    try {
      offsetIndex.resize(capacityBytes)
      timeIndex.resize(capacityBytes)
    } catch (error) {
      // One at full length and one not would be taken for damage by the next open.
      offsetIndex.trim()
      timeIndex.trim()
      this.#room = 'none'
      throw error
    }
    this.#room = 'full'
  }

  /** Up to the first await in one go: the files are closed when it returns, but for those that a thread still uses. */
  async #trimAndClose(handles: SegmentHandles): Promise<void> {
    try {
      if (this.#room !== 'none') this.#trim(handles)
    } catch (error) {
      this.#isTailLeft = true
      this.#room = 'none'
      throw error
    } finally {
      await closeSegmentFiles(handles)
    }
  }

  /** A `.log` that nobody wrote to has no tail. */
  #trim({ log, offsetIndex, timeIndex }: SegmentHandles): void {
    offsetIndex.trim()
    timeIndex.trim()
    if (!this.#marks.isUntouched) log.trim()
    this.#room = 'none'
  }

  #checkNotRetired(): void {
    if (!this.#isRetired) return
    const { logPath: path } = this
    throw new ClosedError('ERR_CLOSED', `${path} is no longer part of the log`, { path })
  }
}
