/**
 * A segment's files as they are needed: opened on first use, closed when too
 * many are open, gone for good when the segment is.
 */

import { ClosedError } from '../errors.js'
import type { Closable, OpenSegments } from './open-segments.js'
import { openSegmentFiles, type SegmentHandles, type SegmentPlace, segmentPath } from './segment-files.js'

export class LazyFiles implements Closable {
  readonly logPath: string
  readonly #place: SegmentPlace
  readonly #baseOffset: bigint
  readonly #openSegments: OpenSegments
  #handles: SegmentHandles | undefined
  #isPinned = false
  #isRetired = false

  constructor(place: SegmentPlace, baseOffset: bigint, openSegments: OpenSegments) {
    this.logPath = segmentPath(place, baseOffset, 'log')
    this.#place = place
    this.#baseOffset = baseOffset
    this.#openSegments = openSegments
  }

  /** Takes files that were just made. */
  adopt(handles: SegmentHandles): void {
    this.#handles = handles
  }

  get isOpen(): boolean {
    return this.#handles !== undefined
  }

  /** The open files. `ERR_CLOSED` once retired. */
  get(): SegmentHandles {
    if (this.#isRetired) {
      const { logPath: path } = this
      throw new ClosedError('ERR_CLOSED', `${path} is no longer part of the log`, { path })
    }
    this.#handles ??= openSegmentFiles(this.#place, this.#baseOffset)
    if (!this.#isPinned) this.#openSegments.touch(this)
    return this.#handles
  }

  /** The active segment's files stay open, those of a sealed one as long as there is room. */
  pin(isActive: boolean): void {
    this.#isPinned = isActive
    if (isActive) this.#openSegments.forget(this)
    else this.#openSegments.touch(this)
  }

  /** Lets go of the files; a later use opens them again. Operations under way still end. */
  async closeFiles(): Promise<void> {
    const handles = this.#handles
    this.#handles = undefined
    this.#openSegments.forget(this)
    if (handles === undefined) return
    await Promise.all([handles.log.close(), handles.offsetIndex.close(), handles.timeIndex.close()])
  }

  /** For good: the log is closed, or the segment is no longer part of it. */
  async retire(): Promise<void> {
    this.#isRetired = true
    await this.closeFiles()
  }
}
