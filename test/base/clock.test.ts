/** The system's clock. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../lib/base/clock.js'

describe('systemClock.after', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs once, when the time has passed', () => {
    const run = vi.fn()
    systemClock.after(1000, run)
    vi.advanceTimersByTime(999)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100_000)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('waits longer than a timer of Node can, and can be cancelled on the way', () => {
    const [run, cancelled] = [vi.fn(), vi.fn()]
    const month = 31 * 24 * 3_600_000
    systemClock.after(month, run)
    const cancel = systemClock.after(month, cancelled)
    systemClock.after(Number.POSITIVE_INFINITY, cancelled)
    vi.advanceTimersByTime(month - 1)
    expect(run).not.toHaveBeenCalled()
    cancel()
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledTimes(1)
    expect(cancelled).not.toHaveBeenCalled()
  })
})
