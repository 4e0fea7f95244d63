/**
 * Manners towards the event loop: long work gives it a turn now and then, and
 * who waits for something that only this process can bring keeps it alive.
 */

import type { Clock } from '../base/clock.js'

/** How long a read goes on from cached bytes before others get their turn; by a clock of whole ms. */
const TURN_MS = 1

export class Turns {
  readonly #clock: Clock
  #sinceMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sinceMs = clock.nowMs()
  }

  /** The event loop has not turned for a while. To be asked before `give`, since to await nothing costs something too. */
  get isDue(): boolean {
    return this.#clock.nowMs() - this.#sinceMs >= TURN_MS
  }

  /** Lets the event loop turn. */
  async give(): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.soon(resolve))
    this.#sinceMs = this.#clock.nowMs()
  }
}

/** `promise`; while it is pending the process does not end for want of work. */
export async function keepingProcess<T>(clock: Clock, promise: Promise<T>): Promise<T> {
  const release = clock.after(Number.POSITIVE_INFINITY, () => undefined, true)
  try {
    return await promise
  } finally {
    release()
  }
}
