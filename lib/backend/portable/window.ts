/**
 * A buffer that slides over a file: whoever walks from batch to batch asks for
 * the bytes at a position and gets them from the last read where it can.
 */

import { lengthOf, readFully } from './file-io.js'
import type { LogView } from './views.js'

/** How much more each read asks for, where the first asked for little. */
const READ_GROWTH = 4

export class Window {
  readonly bytes: Buffer
  readonly #log: LogView
  readonly #askedEnd: number
  /** No byte at or after it is read. Moves down where the file turns out shorter. */
  #end: number
  #start = 0
  #filled = 0
  /** What the next read asks for. */
  #ahead: number

  /** `bytes` is lent until the walk is over; the first read may ask for less than it holds, later ones for ever more. */
  constructor(log: LogView, end: number, bytes: Buffer, firstRead = bytes.length) {
    this.#log = log
    this.#askedEnd = end
    this.#end = end
    this.bytes = bytes
    this.#ahead = firstRead
  }

  /** End of what can be read: lower than asked for where others cut the file. */
  get end(): number {
    return this.#end
  }

  /** Whether `position` is the end that was asked for. Where a cut file ends is not: bytes are missing there. */
  isEnd(position: number): boolean {
    return position >= this.#askedEnd
  }

  /** Looks whether the file has all that was asked for, so that `end` says so also where bytes are not read. */
  lookForCut(): void {
    this.#end = Math.min(this.#end, lengthOf(this.#log.fd, this.#log.path))
  }

  /**
   * Where in `bytes` the file's bytes from `position` on lie: `length` of them
   * (at most the buffer's size), fewer only before the end.
   */
  at(position: number, length: number): number {
    const wanted = Math.min(length, Math.max(0, this.#end - position))
    const isThere = position >= this.#start && position + wanted <= this.#start + this.#filled
    if (!isThere) this.#fill(position, wanted)
    return position - this.#start
  }

  #fill(position: number, least: number): void {
    const ask = Math.min(Math.max(this.#ahead, least), this.bytes.length)
    this.#ahead = Math.min(this.#ahead * READ_GROWTH, this.bytes.length)
    const length = Math.min(ask, Math.max(0, this.#end - position))
    this.#start = position
    this.#filled = readFully(this.#log.fd, this.#log.path, this.bytes, length, position)
    if (this.#filled < length) this.#end = position + this.#filled
  }
}
