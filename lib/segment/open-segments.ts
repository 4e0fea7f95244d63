/**
 * Bounds how many segments, of all logs that share it, have their files open:
 * before one more is opened another is closed, the least recently used.
 *
 * Work on a thread holds its segment open. So that a bound stays one, no more
 * than a quarter of it is held by reads and as much by flushes at a time; the
 * rest waits. Reads and flushes wait apart: a read never stands behind an fsync.
 */

import { Gate } from '../base/gate.js'

/** Files that can be closed, and open themselves again when they are next used. */
export interface Evictable {
  /** When they were last used, as `nextUse` counts. */
  readonly lastUse: number
  /** In use by a thread: not to be closed now. */
  readonly isHeld: boolean
  /** Closing them means trimming them, and the next append grows them again. */
  readonly isActive: boolean
  /** Closes them. Never throws: what fails is told to their log. */
  evict(): void
}

/** Three descriptors and two mappings a segment: 1,500 and 1,000 at most. */
export const DEFAULT_OPEN_SEGMENTS = 500

const FILES_OF_SEGMENT = 3

/** The bound of a process that may have so many files open: half of them are left to others. */
export function openSegmentsWithin(openFiles: number | undefined): number {
  if (openFiles === undefined) return DEFAULT_OPEN_SEGMENTS
  return Math.min(DEFAULT_OPEN_SEGMENTS, Math.floor(openFiles / 2 / FILES_OF_SEGMENT))
}

export class OpenSegments {
  /** Passed by reads and scans on a thread. */
  readonly reads: Gate
  /** Passed by flushes. */
  readonly flushes: Gate
  readonly #limit: number
  readonly #open = new Set<Evictable>()
  #uses = 0

  /** `limit` below 3 is kept as long as no thread is at work, and never exceeds 3. */
  constructor(limit: number) {
    const share = Math.max(1, Math.floor(limit / 4))
    this.reads = new Gate(share)
    this.flushes = new Gate(share)
    this.#limit = limit
  }

  /** The number of this use, above that of each before it. */
  nextUse(): number {
    return ++this.#uses
  }

  /** Closes segments until one more may be open. */
  makeRoom(): void {
    this.#closeDownTo(this.#limit - 1)
  }

  /** A thread has let go of one: what it held open beyond the limit can be closed now. */
  released(): void {
    this.#closeDownTo(this.#limit)
  }

  opened(segment: Evictable): void {
    this.#open.add(segment)
  }

  closed(segment: Evictable): void {
    this.#open.delete(segment)
  }

  #closeDownTo(count: number): void {
    while (this.#open.size > count) {
      const victim = this.#victim()
      if (victim === undefined) return
      this.#open.delete(victim)
      victim.evict()
    }
  }

  /**
   * The least recently used; but whoever reads through many sealed segments
   * takes places from active ones only up to a quarter of all: an active one
   * costs more to close, and one that is appended to will be back soon.
   */
  #victim(): Evictable | undefined {
    let sealed: Evictable | undefined
    let active: Evictable | undefined
    let sealedCount = 0
    for (const segment of this.#open) {
      if (!segment.isActive) sealedCount++
      if (segment.isHeld) continue
      if (segment.isActive) active = older(active, segment)
      else sealed = older(sealed, segment)
    }
    if (sealed === undefined || active === undefined) return sealed ?? active
    return sealedCount > this.#limit / 4 ? sealed : older(active, sealed)
  }
}

function older(one: Evictable | undefined, other: Evictable): Evictable {
  return one === undefined || other.lastUse < one.lastUse ? other : one
}
