/** Ratios and verdicts of a row, by figures whose answers are plain. */
import { expect, test } from 'vitest'
import { judge, ratio } from '../../bench/lib/verdict.mjs'

interface Figures {
  readonly p99?: number
  readonly extra?: Record<string, number>
}

const result = (contender: string, median: number, more: Figures = {}) => ({ contender, median, ...more })

const judged = (row: object, results: readonly object[]) =>
  judge(row, results) as { contender: string; ratio: number; ratios: object; verdict: string | null }[]

test('a ratio above 1 says that the first is better', () => {
  expect(ratio('less', 10, 40)).toBe(4)
  expect(ratio('more', 10, 40)).toBe(0.25)
  expect(ratio('more', null, 40)).toBe(null)
  expect(ratio('less', 0, 40)).toBe(null)
  expect(ratio('less', -10, 40)).toBe(null)
})

test('ours is held against the better of the Javas', () => {
  const row = { better: 'less', goal: { ratio: 4, against: 'kafka' } }
  const results = [
    result('native', 10),
    result('portable', 50),
    result('kafka-17', 60),
    result('kafka-25', 40),
  ]
  const [native, portable, older, newest] = judged(row, results)
  expect(native).toMatchObject({ ratio: 4, verdict: 'met', ratios: { kafka: 4 } })
  expect(portable).toMatchObject({ ratio: 0.8, verdict: null })
  expect(older?.ratio).toBeCloseTo(2 / 3)
  expect(newest).toMatchObject({ ratio: 1, goal: null, verdict: null })
  const missed = judged({ ...row, goal: { ratio: 4.1, against: 'kafka' } }, results)
  expect(missed[0]).toMatchObject({ verdict: 'missed' })
})

test('where more is better the most is the best', () => {
  const row = { better: 'more', goal: { ratio: 0.9, against: 'stores' } }
  const results = [
    result('native', 90),
    result('lmdb', 100),
    result('classic-level', 20),
    result('floor', 300),
  ]
  const [native] = judged(row, results)
  expect(native).toMatchObject({ ratio: 0.9, verdict: 'met', ratios: { floor: 0.3, stores: 0.9 } })
})

test('of several goals all are to be met', () => {
  const goal = [
    { ratio: 0.9, against: 'floor' },
    { ratio: 1, against: 'stores' },
  ]
  const results = [result('native', 10), result('floor', 10), result('lmdb', 9)]
  expect(judged({ better: 'less', goal }, results)[0]).toMatchObject({ ratio: 1, verdict: 'missed' })
  expect(judged({ better: 'less', goal }, results.slice(0, 2))[0]).toMatchObject({ verdict: null })
})

test('a goal may be of another figure, or a limit above the idle process', () => {
  const results = [
    result('native', 3, { p99: 100, extra: { p999: 9 } }),
    result('kafka-17', 1, { p99: 2_000 }),
    result('idle', 2, { extra: { p999: 1 } }),
  ]
  const verdictOf = (goal: object) => judged({ better: 'less', goal }, results)[0]?.verdict
  expect(verdictOf({ ratio: 20, against: 'kafka', of: 'p99' })).toBe('met')
  expect(verdictOf({ ratio: 21, against: 'kafka', of: 'p99' })).toBe('missed')
  expect(verdictOf({ limit: 1, less: 'idle' })).toBe('met')
  expect(verdictOf({ limit: 2 })).toBe('missed')
  expect(verdictOf({ limit: 7, of: 'extra.p999', less: 'idle' })).toBe('missed')
  expect(verdictOf({ limit: 8, of: 'extra.p999', less: 'idle' })).toBe('met')
})

test('a row without a goal is held against Kafka, else the floor, and has no verdict', () => {
  const row = { better: 'less', goal: null }
  expect(judged(row, [result('native', 1), result('floor', 3)])[0]).toMatchObject({ ratio: 3, verdict: null })
  expect(judged(row, [result('native', 1)])[0]).toMatchObject({ ratio: null, verdict: null })
})
