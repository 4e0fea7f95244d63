/** Medians, files of results and numbers for a reader. */
import { expect, test } from 'vitest'
import { comparisonTable, countsTable } from '../../bench/lib/comparison.mjs'
import { calls, duration, goalText, plain, times } from '../../bench/lib/numbers.mjs'
import { merge } from '../../bench/lib/results.mjs'
import { median, summarize } from '../../bench/lib/statistics.mjs'
import { resultsTable } from '../../bench/lib/table.mjs'
import { Latencies } from '../../bench/work/latencies.mjs'

test('a median is the middle one, of an even count the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 6])).toBe(5.5)
  expect(median([100])).toBe(100)
})

test('each figure has a median of its own, and is null where no round gave it', () => {
  const samples = [
    { value: 3, operations: 10, p99: 30, extra: { keys: 5, note: 'a' } },
    { value: 1, operations: 10, p99: 50, extra: { keys: 6, note: 'b' } },
    { value: 2, operations: 10, p99: 40, extra: { keys: 7, note: 'c' } },
  ]
  expect(summarize(samples)).toEqual({
    ...{ median: 2, rounds: [3, 1, 2], operations: 10, p50: null, p99: 40, max: null },
    ...{ readCalls: null, writeCalls: null, extra: { keys: 6, note: 'c' } },
  })
})

test('percentiles are of the times noted since the last summary', () => {
  const latencies = new Latencies(1_000)
  for (let n = 1_000; n > 0; n--) latencies.add(n)
  expect(latencies.summary({ p999: 0.999 })).toEqual({ p50: 501, p99: 991, p999: 1_000, max: 1_000 })
  latencies.add(7)
  expect(latencies.summary()).toEqual({ p50: 7, p99: 7, max: 7 })
})

test('a run takes the place of the rows that it measured again', () => {
  const [monday, tuesday] = [{ date: 'monday' }, { date: 'tuesday' }]
  const of = (...names: string[]) => names.map((name) => ({ name }))
  const before = [{ head: monday, results: of('a', 'b') }]
  expect(merge(before, { head: tuesday, results: of('b', 'c') })).toEqual([
    { head: tuesday, results: of('b', 'c') },
    { head: monday, results: of('a') },
  ])
  expect(merge(before, { head: tuesday, results: of('a', 'b') })).toHaveLength(1)
  expect(merge(before, { head: monday, results: of('c') })).toEqual([
    { head: monday, results: of('a', 'b', 'c') },
  ])
})

test('numbers have three digits that count', () => {
  expect([1_234_567, 123.4, 12.34, 1.234, 0.01234, 0, null].map(plain)).toEqual([
    ...['1,234,567', '123', '12.3', '1.23', '0.0123', '0', ''],
  ])
  expect(times(4.04)).toBe('4.04x')
  expect([0.0004, 0.5, null].map(calls)).toEqual(['0', '0.500', ''])
  expect([12, 1_500, 2_340_000, 3e9].map(duration)).toEqual(['12.0 ns', '1.50 µs', '2.34 ms', '3.00 s'])
})

test('a goal is told in words', () => {
  expect(goalText({ ratio: 40, against: 'kafka' }, 'more')).toBe('40x kafka')
  const late = [
    { limit: 2, less: 'idle' },
    { limit: 10, of: 'extra.p999', less: 'idle' },
  ]
  expect(goalText(late, 'less')).toBe('at most 2 above idle, p999 at most 10 above idle')
})

test('the table has a line for each row and contender', () => {
  const row = { id: 'a-row', better: 'less' }
  const common = { name: 'a-row', unit: 'ns', p50: 1_500, p99: null, max: null, readCalls: 2, writeCalls: 0 }
  const native = { ...common, contender: 'native', median: 10, peakKib: 2_048, ratio: 4.2 }
  const text = resultsTable(
    [
      { ...native, goal: { ratio: 4, against: 'kafka' }, verdict: 'met' },
      { ...native, contender: 'kafka-17', ratio: 1, goal: null, verdict: null },
    ],
    [row],
  )
  const lines = text.split('\n').filter((line: string) => /native|kafka-17/.test(line))
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/a-row.*native.*10.*ns.*1\.50 µs.*2\.00.*4\.20x.*4x kafka.*met/)
})

test('two commits beside one another: above 1 the second is better', () => {
  const results = [
    { contender: 'A native', median: 30, p99: null, rounds: [30] },
    { contender: 'B native', median: 10, p99: null, rounds: [10] },
  ]
  const text = comparisonTable([{ row: { id: 'a-row', unit: 'ns', better: 'less' }, results }])
  expect(text).toMatch(/a-row.*ns.*30\.0.*10\.0.*3\.00x/)
  const counts = countsTable(
    new Map([['scan', 2_000]]),
    new Map([...[['scan', 1_000]], ['md5', 5]] as [string, number][]),
  )
  expect(counts).toMatch(/scan.*2,000.*1,000.*2\.00x/)
  expect(counts).toMatch(/md5 +│ +│ 5/)
})
