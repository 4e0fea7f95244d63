/**
 * Time, injected: the engine asks a Clock and never the system, so that tests
 * move time by hand.
 */

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Calls `run` once after `delayMs`; never keeps the process alive. Returns what cancels it. */
  after(delayMs: number, run: () => void): () => void
  /** Calls `run` once this turn of the event loop has ended. */
  soon(run: () => void): void
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
  soon(run) {
    setImmediate(run)
  },
}
