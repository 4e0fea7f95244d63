/** Stopping a cleaning, slowing it, choosing its log, and what becomes of one that failed. */
import { describe, expect, test } from 'vitest'
import { filthiest } from '../../lib/cleaner/choose.js'
import { AbortFlag, CleaningAborted, IoThrottle } from '../../lib/cleaner/clean-control.js'
import { errorOf, failureOf } from '../../lib/cleaner/failure.js'
import { retryDelayMs } from '../../lib/cleaner/set-aside.js'
import { ConfigError, corrupt, ioError } from '../../lib/errors.js'
import type { CleanablePlan } from '../../lib/log/cleaning/cleanable.js'

describe('a flag', () => {
  test('is seen through its memory', () => {
    const flag = new AbortFlag()
    const other = new AbortFlag(flag.memory)
    other.check()
    flag.set()
    expect(other.isSet).toBe(true)
    expect(() => other.check()).toThrow(CleaningAborted)
  })

  test('that is set ends a wait', () => {
    const flag = new AbortFlag()
    flag.set()
    flag.wait(60_000)
  })
})

describe('a throttle', () => {
  /** Waits that it asks for, by a clock that they move. */
  function throttle(bytesPerSecond: number) {
    const waits: number[] = []
    let now = 0n
    const flag = new AbortFlag()
    flag.wait = (ms) => {
      waits.push(ms)
      now += BigInt(Math.round(ms * 1_000))
    }
    const made = new IoThrottle(bytesPerSecond, () => now)
    const other = new IoThrottle(bytesPerSecond, () => now, made.memory)
    return {
      waits,
      flag,
      take: (bytes: number) => made.take(bytes, flag),
      takeElsewhere: (bytes: number) => other.take(bytes, flag),
    }
  }

  test('gives each byte its time', () => {
    const { waits, take } = throttle(1_000)
    for (let n = 0; n < 4; n++) take(500)
    expect(waits).toEqual([500, 500, 500, 500])
  })

  test('is one for all threads', () => {
    const { waits, take, takeElsewhere } = throttle(1_000)
    take(500)
    takeElsewhere(250)
    expect(waits).toEqual([500, 250])
  })

  test('without a limit asks for nothing', () => {
    const { waits, take } = throttle(Number.MAX_VALUE)
    take(1e9)
    expect(waits.reduce((a, b) => a + b, 0)).toBeLessThan(1)
  })

  test('looks at the clock every ten seconds, and holds to a low limit all the same', () => {
    const { waits, take } = throttle(1)
    take(25)
    expect(waits).toEqual([10_000, 10_000, 5_000])
  })

  test('ends its wait where the cleaning is to end', () => {
    const { waits, take, flag } = throttle(1)
    flag.set()
    take(25)
    expect(waits).toEqual([])
  })
})

test('of several logs that are due the filthiest is taken', () => {
  const candidate = (log: string, dirtyRatio: number, isDue = true) => ({
    log,
    plan: { dirtyRatio, isDue } as CleanablePlan,
  })
  expect(filthiest([candidate('a', 0.6), candidate('b', 0.9), candidate('c', 0.7)])?.log).toBe('b')
  expect(filthiest([candidate('a', 0.6), candidate('b', 0.9, false)])?.log).toBe('a')
  expect(filthiest([candidate('a', 1, false)])).toBeUndefined()
})

test('known fault 98: a log that fails is tried again ever more rarely, at least once an hour', () => {
  expect([1, 2, 3, 20, 1_000].map((failures) => retryDelayMs(15_000, failures))).toEqual([
    30_000, 60_000, 120_000, 3_600_000, 3_600_000,
  ])
  expect(retryDelayMs(0, 1)).toBe(2_000)
})

describe('an error that crosses between threads', () => {
  test.each([
    ['of a file', ioError('pread', 'EIO', '/log/0.log', { position: 7 })],
    ['of a setting', new ConfigError('ERR_CONFIG_INVALID', 'no room')],
    ['of damage', corrupt('batch', '/log/0.log', 'no batch', { position: 61, offset: 5n })],
  ])('%s keeps its class, code and fields', (_, error) => {
    const crossed = errorOf(structuredClone(failureOf(error)))
    expect(crossed).toBeInstanceOf(error.constructor)
    expect({ ...crossed, message: crossed.message }).toEqual({ ...error, message: error.message })
  })

  test('that aborts stays one', () => {
    expect(errorOf(structuredClone(failureOf(new CleaningAborted())))).toBeInstanceOf(CleaningAborted)
  })

  test('that is a fault of ours arrives with its text', () => {
    expect(errorOf(structuredClone(failureOf(new TypeError('x is not a function')))).message).toBe(
      'x is not a function',
    )
  })
})
