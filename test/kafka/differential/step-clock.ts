/**
 * A clock that goes from timer to timer, as the driver's scheduler does with
 * Kafka's tasks: each runs at the time it is due at, in the order of those
 * times, and what it starts can be waited for before time moves on.
 */
import type { Clock } from '../../../lib/base/clock.js'

interface Timer {
  readonly dueMs: number
  readonly run: () => void
}

export class StepClock implements Clock {
  #nowMs: number
  readonly #timers = new Set<Timer>()

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  elapsedMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  soon(run: () => void): void {
    setImmediate(run)
  }

  /** Moves time on by `ms`; `idle` resolves when nothing runs that a timer has started. */
  async advance(ms: number, idle: () => Promise<void>): Promise<void> {
    const endMs = this.#nowMs + ms
    for (let timer = this.#nextBy(endMs); timer !== undefined; timer = this.#nextBy(endMs)) {
      this.#timers.delete(timer)
      this.#nowMs = Math.max(this.#nowMs, timer.dueMs)
      timer.run()
      await idle()
    }
    this.#nowMs = endMs
  }

  /** Of those due at one time the first that was set. */
  #nextBy(endMs: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers)
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer
    return next
  }
}
