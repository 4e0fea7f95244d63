/**
 * Manners towards the event loop: long work gives it a turn now and then, and
 * who waits for something that only this process can bring keeps it alive.
 */

import type { Clock } from '../base/clock.js'

/** How long a read goes on from cached bytes before others get their turn. */
const TURN_MS = 4

export class Turns {
  readonly #clock: Clock
  #sinceMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sinceMs = clock.nowMs()
  }

  /** Lets the event loop turn if it has not for a while. */
  async give(): Promise<void> {
    if (this.#clock.nowMs() - this.#sinceMs < TURN_MS) return
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
