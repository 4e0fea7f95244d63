/** Which segments are cleaned into one. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SegmentToClean } from '../../lib/cleaner/clean-job.js'
import { groupSegmentsBySize } from '../../lib/cleaner/group-segments.js'
import { fcOptions } from '../support/random.js'

function segment(baseOffset: number, facts: Partial<SegmentToClean> = {}): SegmentToClean {
  return {
    baseOffset: BigInt(baseOffset),
    sizeInBytes: 100,
    modifiedMs: 0,
    indexBytes: 8,
    timeIndexBytes: 12,
    aborted: [],
    ...facts,
  }
}

const BOUNDS = { segmentBytes: 300, segmentIndexBytes: 100, firstUncleanableOffset: 1000n }

function groups(segments: readonly SegmentToClean[], bounds: Partial<typeof BOUNDS> = {}): number[][] {
  return groupSegmentsBySize(segments, { ...BOUNDS, ...bounds }).map((group) =>
    group.map(({ baseOffset }) => Number(baseOffset)),
  )
}

test('neighbours are joined as long as their bytes fit one segment', () => {
  expect(groups([0, 10, 20, 30].map((base) => segment(base)))).toEqual([[0, 10, 20], [30]])
})

test.each(['indexBytes', 'timeIndexBytes'] as const)('and as long as their %s fit one index', (kind) => {
  expect(groups([0, 10, 20].map((base) => segment(base, { sizeInBytes: 1, [kind]: 50 })))).toEqual([
    [0, 10],
    [20],
  ])
})

test('and as long as their offsets can be told from the first base offset', () => {
  const reach = 2 ** 31 - 1
  const pair = [segment(5), segment(50)]
  expect(groups(pair, { firstUncleanableOffset: BigInt(5 + reach + 1) })).toEqual([[5, 50]])
  expect(groups(pair, { firstUncleanableOffset: BigInt(5 + reach + 2) })).toEqual([[5], [50]])
  // What the next segment's base offset says counts where there is one.
  expect(groups([...pair, segment(5 + reach + 1)], { firstUncleanableOffset: 2n ** 40n })).toEqual([
    [5, 50],
    [5 + reach + 1],
  ])
})

test('an empty segment has no offsets to tell', () => {
  expect(
    groups([segment(0), segment(2 ** 40, { sizeInBytes: 0 })], { firstUncleanableOffset: 2n ** 50n }),
  ).toEqual([[0, 2 ** 40]])
})

test('a segment that is too large by itself is a group', () => {
  expect(groups([segment(0, { sizeInBytes: 1000 }), segment(10)])).toEqual([[0], [10]])
})

test('groups are the segments, in order, each within the bounds unless it is one', () => {
  const any = fc.array(
    fc.record({ sizeInBytes: fc.nat(200), indexBytes: fc.nat(60), timeIndexBytes: fc.nat(60) }),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(any, (facts) => {
      const segments = facts.map((fact, at) => segment(at * 10, fact))
      const made = groupSegmentsBySize(segments, BOUNDS)
      expect(made.flat()).toEqual(segments)
      for (const group of made.filter(({ length }) => length > 1)) {
        const sum = (kind: 'sizeInBytes' | 'indexBytes' | 'timeIndexBytes') =>
          group.reduce((all, one) => all + one[kind], 0)
        expect(sum('sizeInBytes')).toBeLessThanOrEqual(300)
        expect(Math.max(sum('indexBytes'), sum('timeIndexBytes'))).toBeLessThanOrEqual(100)
      }
    }),
    fcOptions(200),
  )
})
