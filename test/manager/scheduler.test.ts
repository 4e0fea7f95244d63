/** Work that is done again and again, in a time that the test moves. */
import { describe, expect, test, vi } from 'vitest'
import { Scheduler } from '../../lib/manager/scheduler.js'
import { START_MS, TestClock } from '../support/machine.js'
import { turns } from '../support/turns.js'

function scheduled() {
  const clock = new TestClock()
  const errors: [string, unknown][] = []
  const scheduler = new Scheduler(clock, (task, error) => errors.push([task, error]))
  /** Moves time on and lets what came due run. */
  const advance = async (ms: number) => {
    clock.advance(ms)
    await turns(2)
  }
  return { clock, errors, scheduler, advance }
}

/** Work whose runs end when the test says so. */
function held() {
  const runs: (() => void)[] = []
  return { runs, work: () => new Promise<void>((resolve) => void runs.push(resolve)) }
}

describe('a task', () => {
  test('runs after its first delay, then once an interval', async () => {
    const { clock, scheduler, advance } = scheduled()
    const at: number[] = []
    const times = { firstDelayMs: 30_000, intervalMs: 5_000 }
    const task = scheduler.every('count', times, () => void at.push(clock.nowMs() - START_MS))
    expect(task.nextRunMs).toBe(START_MS + 30_000)
    await advance(29_999)
    expect(at).toEqual([])
    await advance(1)
    expect(task.nextRunMs).toBe(START_MS + 35_000)
    for (let ms = 0; ms < 10_000; ms += 1_000) await advance(1_000)
    expect(at).toEqual([30_000, 35_000, 40_000])
  })

  test('never runs beside itself; one that takes longer than its interval goes on at once', async () => {
    const { clock, scheduler, advance } = scheduled()
    const { runs, work } = held()
    const task = scheduler.every('slow', { firstDelayMs: 0, intervalMs: 100 }, work)
    await advance(0)
    expect(task.nextRunMs).toBeUndefined()
    await advance(1_000)
    expect(runs).toHaveLength(1)
    runs[0]?.()
    await turns(2)
    expect(task.nextRunMs).toBe(clock.nowMs() + 1)
    await advance(1)
    expect(runs).toHaveLength(2)
    await advance(40)
    runs[1]?.()
    await turns(2)
    expect(task.nextRunMs).toBe(clock.nowMs() + 60)
  })

  test.each([
    ['throws', () => expect.fail('on purpose')],
    ['rejects', () => Promise.reject(new Error('on purpose'))],
  ])('whose work %s is told with its name, and goes on', async (_, work) => {
    const { errors, scheduler, advance } = scheduled()
    scheduler.every('failing', { firstDelayMs: 0, intervalMs: 10 }, work)
    for (const ms of [0, 10, 10]) await advance(ms)
    expect(errors).toHaveLength(3)
    for (const error of errors) expect(error).toEqual(['failing', expect.any(Error)])
  })

  test('goes on where the one who is told of its failures fails too', async () => {
    const clock = new TestClock()
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const scheduler = new Scheduler(clock, () => {
      throw new Error('the logger is broken')
    })
    let runs = 0
    scheduler.every('failing', { firstDelayMs: 0, intervalMs: 10 }, () => {
      runs++
      throw new Error('on purpose')
    })
    for (const ms of [0, 10, 10]) {
      clock.advance(ms)
      await turns(3)
    }
    expect(runs).toBe(3)
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('the logger is broken'))
    warned.mockRestore()
  })

  test('without an interval never runs', async () => {
    const { scheduler, advance } = scheduled()
    let runs = 0
    const times = { firstDelayMs: 1, intervalMs: Number.POSITIVE_INFINITY }
    const task = scheduler.every('never', times, () => void runs++)
    expect(task.nextRunMs).toBeUndefined()
    await advance(1e12)
    expect(runs).toBe(0)
  })

  test('is not put off for long by a clock that was set back', async () => {
    const { clock, scheduler, advance } = scheduled()
    const { runs, work } = held()
    const task = scheduler.every('slow', { firstDelayMs: 0, intervalMs: 100 }, work)
    await advance(0)
    clock.advance(-1_000_000)
    runs[0]?.()
    await turns(2)
    expect(task.nextRunMs).toBe(clock.nowMs() + 100)
  })
})

describe('stopping', () => {
  test('waits for the run under way; none follows', async () => {
    const { scheduler, advance } = scheduled()
    const { runs, work } = held()
    const task = scheduler.every('slow', { firstDelayMs: 0, intervalMs: 1 }, work)
    await advance(0)
    let isStopped = false
    const stopping = task.stop().then(() => {
      isStopped = true
    })
    await turns(5)
    expect(isStopped).toBe(false)
    runs[0]?.()
    await stopping
    expect(task.nextRunMs).toBeUndefined()
    await advance(1_000)
    expect(runs).toHaveLength(1)
  })

  test('before the first run leaves nothing to run', async () => {
    const { scheduler, advance } = scheduled()
    const { runs, work } = held()
    const task = scheduler.every('slow', { firstDelayMs: 10, intervalMs: 10 }, work)
    await task.stop()
    await advance(1_000)
    expect(runs).toEqual([])
  })

  test('by closing the scheduler reaches every task, also one that is added later', async () => {
    const { scheduler, advance } = scheduled()
    const first = held()
    const second = held()
    scheduler.every('first', { firstDelayMs: 0, intervalMs: 1 }, first.work)
    scheduler.every('second', { firstDelayMs: 50, intervalMs: 1 }, second.work)
    await advance(0)
    const closing = scheduler.close()
    first.runs[0]?.()
    await closing
    const late = scheduler.every('late', { firstDelayMs: 0, intervalMs: 1 }, second.work)
    await advance(1_000)
    expect([first.runs.length, second.runs.length, late.nextRunMs]).toEqual([1, 0, undefined])
  })
})
