/** Percentiles of the histogram beside those of the sorted numbers. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Histogram } from '../../lib/base/histogram.js'
import { fcOptions } from '../support/random.js'

const numbers = fc.array(
  fc.oneof(fc.nat(20), fc.nat(100_000), fc.nat(), fc.constant(2_147_483_647), fc.constant(0)),
  { minLength: 1, maxLength: 200 },
)

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

describe('a histogram', () => {
  test('gives percentiles that are never too low and at most an eighth too high', () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom(0, 0.01, 0.5, 0.9, 0.99, 1), (values, share) => {
        const sorted = values.toSorted((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number
        const told = histogramOf(values).percentile(share)
        expect(told).toBeGreaterThanOrEqual(exact)
        expect(told).toBeLessThanOrEqual(Math.min(exact * 1.125, sorted.at(-1) as number))
      }),
      fcOptions(300),
    )
  })

  test('knows count, mean and maximum exactly', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const histogram = histogramOf(values)
        expect(histogram.count).toBe(values.length)
        expect(histogram.max).toBe(Math.max(...values))
        expect(histogram.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 3)
      }),
      fcOptions(100),
    )
  })

  test('takes in another as if it had counted its numbers', () => {
    fc.assert(
      fc.property(numbers, numbers, (ours, theirs) => {
        const sum = histogramOf(ours)
        sum.add(histogramOf(theirs))
        sum.add(new Histogram())
        const together = histogramOf([...ours, ...theirs])
        for (const share of [0, 0.3, 0.5, 0.99, 1])
          expect(sum.percentile(share)).toBe(together.percentile(share))
        expect([sum.count, sum.max]).toEqual([together.count, together.max])
        expect(sum.mean).toBeCloseTo(together.mean, 3)
      }),
      fcOptions(100),
    )
  })

  test('rounds, and takes what lies outside for the nearest that it can count', () => {
    const histogram = histogramOf([-5, 1.4, 1.6, 1e12])
    expect([0, 0.5, 0.75, 1].map((share) => histogram.percentile(share))).toEqual([0, 1, 2, 2_147_483_647])
  })

  test('is zero where nothing was counted', () => {
    const { count, mean, max } = new Histogram()
    expect([count, mean, max, new Histogram().percentile(0.99)]).toEqual([0, 0, 0, 0])
  })
})
