import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentBatches } from '../../lib/segment/recent-batches.js'

const BATCH_BYTES = 100
/** Some need more than one chunk of memory. */
const MOST_BATCHES = 3000

test('finds the first of the remembered batches that reaches an offset', () => {
  const gap = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 1, max: 3 }) },
    fc.integer({ min: 1, max: 9_999 }),
  )
  const batches = fc.array(fc.record({ gap, count: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: MOST_BATCHES,
    size: 'max',
  })
  fc.assert(
    fc.property(batches, fc.array(fc.nat(), { maxLength: 50 }), (given, targets) => {
      const recent = new RecentBatches()
      const noted: { relativeBase: number; relativeLast: number; position: number; sizeInBytes: number }[] =
        []
      let last = 0
      for (const { gap: before, count } of given) {
        const relativeBase = last + before
        last = relativeBase + count - 1
        const position = noted.length * BATCH_BYTES
        recent.note(relativeBase, last, position)
        noted.push({ relativeBase, relativeLast: last, position, sizeInBytes: BATCH_BYTES })
      }
      const end = noted.length * BATCH_BYTES
      const ends = noted.flatMap(({ relativeLast }) => [relativeLast, relativeLast + 1])
      for (const target of [
        0,
        1,
        last,
        last + 1,
        ...ends.slice(0, 20),
        ...targets.map((n) => n % (last + 2)),
      ]) {
        const found = noted.find(({ relativeLast }) => relativeLast >= target)
        const isFirst = found === noted[0] && target < (found?.relativeBase ?? 0)
        expect(recent.find(target, end)).toEqual(isFirst ? undefined : found)
      }
      recent.forget()
      expect(recent.find(last, end)).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})
