/**
 * Time, injected: the engine asks a Clock and never the system, so that tests
 * move time by hand.
 */

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds, with fractions, of a clock that nobody sets: for how long things take. */
  elapsedMs(): number
  /** Calls `run` once after `delayMs`; keeps the process alive only if asked to. Returns what cancels it. */
  after(delayMs: number, run: () => void, keepsProcess?: boolean): () => void
  /** Calls `run` once this turn of the event loop has ended. */
  soon(run: () => void): void
}

const LONGEST_TIMEOUT_MS = 2_147_483_647

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, run, keepsProcess = false) {
    // Node runs a longer timeout at once.
    let left = delayMs
    const wait = (): NodeJS.Timeout => {
      const step = Math.min(left, LONGEST_TIMEOUT_MS)
      left -= step
      const next = () => {
        if (left > 0) timer = wait()
        else run()
      }
      const timeout = setTimeout(next, step)
      return keepsProcess ? timeout : timeout.unref()
    }
    let timer = wait()
    return () => clearTimeout(timer)
  },
  soon(run) {
    setImmediate(run)
  },
}
