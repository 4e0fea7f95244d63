/**
 * A segment's files as they are needed: opened on first use, closed when too
 * many are open, gone for good when the segment is.
 *
 * Closed or open makes no difference to what counts in them. Those of the
 * active segment are trimmed when they are closed, so that they lie on disk as
 * after a clean close, and its indexes grow back with the next append.
 */

import type { TimeIndexEntry } from '../backend/contract.js'
import { ClosedError } from '../errors.js'
import { checkUnchanged, cutTail, type FileFacts, factsOf } from './file-facts.js'
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
  trimSegmentFiles,
} from './segment-files.js'

/** Told of a failure to close files that nobody of their log asked to close. */
export type FaultListener = (error: unknown) => void

export class LazyFiles implements Evictable {
  readonly logPath: string
  lastUse = 0
  readonly #place: SegmentPlace
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
  #isGrown = false
  #holds = 0
  #isRetired = false
  #unheard: unknown[] = []
  #tell: FaultListener = (error) => this.#unheard.push(error)

  constructor(place: SegmentPlace, baseOffset: bigint, openSegments: OpenSegments, marks: FlushMarks) {
    this.logPath = segmentPath(place, baseOffset, 'log')
    this.#place = place
    this.#baseOffset = baseOffset
    this.#openSegments = openSegments
    this.#marks = marks
  }

  get isActive(): boolean {
    return this.#capacityBytes !== undefined
  }

  get isHeld(): boolean {
    return this.#holds > 0
  }

  /** From now on, and for what failed before, `tell` hears of failed evictions: never within another's turn. */
  listen(tell: FaultListener): void {
    this.#tell = tell
    for (const error of this.#unheard.splice(0)) tell(error)
  }

  /** Makes the files of a new active segment, the indexes at their full length. */
  create(options: NewSegmentOptions): void {
    this.#openSegments.makeRoom()
    this.#handles = createSegmentFiles(this.#place, this.#baseOffset, options)
    this.#capacityBytes = options.capacityBytes
    this.#isGrown = true
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
    if (!this.#isGrown && this.#capacityBytes !== undefined) this.#grow(handles, this.#capacityBytes)
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

  /** Entries of the active segment's indexes can come until these are full, however long the files are just now. */
  facts(): FileFacts {
    this.#checkNotRetired()
    const facts = this.#handles === undefined ? (this.#before ?? factsOf(this.get())) : factsOf(this.#handles)
    if (this.#capacityBytes === undefined) return facts
    return {
      ...facts,
      offsetCapacity: this.#room(facts.offsetEntries, OFFSET_ENTRY_BYTES),
      timeCapacity: this.#room(facts.timeEntries, TIME_ENTRY_BYTES),
    }
  }

  /** Null where there is none. Of closed files of a sealed segment it opens the one, and closes it again. */
  lastTimeEntry(): TimeIndexEntry | null {
    if (this.isActive || this.#handles !== undefined) return lastEntry(this.get().timeIndex)
    this.#checkNotRetired()
    return readLastTimeEntry(this.#place, this.#baseOffset, this.#before?.timeEntries, (error) =>
      this.#tell(error),
    )
  }

  /** From now on the files are an active segment's; they grow when something is appended. */
  activate(capacityBytes: number): void {
    if (capacityBytes === this.#capacityBytes) return
    this.#capacityBytes = capacityBytes
    this.#isGrown = false
  }

  /** One more entry of the active segment's time index, unless that is full. */
  addTimeEntry(entry: Uint8Array): void {
    const { timeIndex } = this.get()
    const { timeEntries, timeCapacity } = this.facts()
    if (timeEntries >= timeCapacity) return
    this.#isGrown = false
    this.#marks.changed('timeIndex')
    timeIndex.resize((timeEntries + 1) * TIME_ENTRY_BYTES)
    timeIndex.append(entry)
  }

  /** The segment is not to be appended to any more: cuts its files to what is used. */
  seal(): void {
    const handles = this.get()
    this.#isGrown = false
    this.#marks.changed('log', 'offsetIndex', 'timeIndex')
    trimSegmentFiles(handles)
    this.#capacityBytes = undefined
  }

  /** Lets go of the files in favour of others; a later use opens them again. */
  evict(): void {
    const handles = this.#handles
    if (handles === undefined) return
    this.#handles = undefined
    this.#before = factsOf(handles)
    this.#isGrown = false
    this.#trimAndClose(handles).catch((error: unknown) => this.#tell(error))
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
      closeSegmentFiles(handles).catch((failure: unknown) => this.#tell(failure))
      throw error
    }
    this.#openSegments.opened(this)
    return handles
  }

  /** Files that others write may have changed; ours may not, but for a tail that could not be cut. */
  #resume(handles: SegmentHandles): void {
    const before = this.#place.mode === 'write' ? this.#before : undefined
    if (before !== undefined && this.#isTailLeft) cutTail(handles, before)
    if (before !== undefined) checkUnchanged(handles, before)
    checkSegmentFiles(handles, this.#place.mode)
    this.#isTailLeft = false
  }

  #grow({ offsetIndex, timeIndex }: SegmentHandles, capacityBytes: number): void {
    this.#marks.touched()
    try {
      offsetIndex.resize(capacityBytes)
      timeIndex.resize(capacityBytes)
    } catch (error) {
      // One at full length and one not would be taken for damage by the next open.
      offsetIndex.trim()
      timeIndex.trim()
      throw error
    }
    this.#isGrown = true
  }

  /** Up to the first await in one go: the files are closed when it returns, but for those that a thread still uses. */
  async #trimAndClose(handles: SegmentHandles): Promise<void> {
    try {
      if (this.isActive && !this.#marks.isUntouched) trimSegmentFiles(handles)
    } catch (error) {
      this.#isTailLeft = true
      throw error
    } finally {
      await closeSegmentFiles(handles)
    }
  }

  #room(entries: number, entryBytes: number): number {
    return Math.max(entries, Math.floor((this.#capacityBytes ?? 0) / entryBytes))
  }

  #checkNotRetired(): void {
    if (!this.#isRetired) return
    const { logPath: path } = this
    throw new ClosedError('ERR_CLOSED', `${path} is no longer part of the log`, { path })
  }
}
