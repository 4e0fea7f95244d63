/**
 * The files of a log's next segment, made on the read lane while the active one
 * fills: a roll then only has to name them. A log that has filled one segment
 * will fill the next. They have no name and leave nothing behind, whatever
 * stop comes; a roll that finds none makes its files itself.
 */

import type { SpareFiles } from '../backend/contract.js'
import type { Evictable } from '../segment/open-segments.js'
import type { NewSegmentOptions } from '../segment/segment-files.js'
import type { LogEnvironment } from './log-environment.js'

export class NextFiles implements Evictable {
  readonly isHeld = false
  readonly isActive = false
  lastUse = 0
  readonly #env: LogEnvironment
  #files: SpareFiles | undefined
  #capacityBytes = 0
  #isMaking = false
  #isClosed = false

  constructor(env: LogEnvironment) {
    this.#env = env
  }

  /** Those that were made for files like these, if they are there; they are the caller's, who closes them. */
  take({ capacityBytes, preallocateBytes }: NewSegmentOptions): SpareFiles | undefined {
    const files = this.#files
    if (files === undefined) return undefined
    this.#files = undefined
    this.#env.openSegments.closed(this)
    if (capacityBytes === this.#capacityBytes && preallocateBytes === 0) return files
    files.close()
    return undefined
  }

  /** Once this turn has ended makes such files, unless they are there. Preallocated ones are not made: their room would be taken twice. */
  prepare({ capacityBytes, preallocateBytes }: NewSegmentOptions): void {
    if (this.#files !== undefined || this.#isMaking || preallocateBytes > 0) return
    this.#isMaking = true
    this.#env.clock.soon(() => void this.#make(capacityBytes))
  }

  /** Others need the room of open files. */
  evict(): void {
    this.#files?.close()
    this.#files = undefined
  }

  /** For good. */
  close(): void {
    this.#isClosed = true
    this.#env.openSegments.closed(this)
    this.evict()
  }

  async #make(capacityBytes: number): Promise<void> {
    const { readLane, directory } = this.#env
    try {
      if (!this.#isClosed) this.#keep(await readLane.makeSpare(directory, capacityBytes), capacityBytes)
    } catch {
      // A disk or a process that has no room for them will tell the roll itself.
    } finally {
      this.#isMaking = false
    }
  }

  #keep(files: SpareFiles | undefined, capacityBytes: number): void {
    if (files === undefined) return
    if (this.#isClosed) {
      files.close()
      return
    }
    const { openSegments } = this.#env
    openSegments.makeRoom()
    openSegments.opened(this)
    this.lastUse = openSegments.nextUse()
    this.#files = files
    this.#capacityBytes = capacityBytes
  }
}
