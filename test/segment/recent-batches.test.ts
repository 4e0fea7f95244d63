import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RecentBatch, RecentBatches } from '../../lib/segment/recent-batches.js'
import { fcOptions } from '../support/random.js'

/** Offsets from the batch before to this one's base, of this one, and bytes of it. */
const batch = fc.tuple(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 61, max: 500 }),
)

/** Batches one behind the other, from `first` on. */
function laidOut(parts: readonly (readonly [number, number, number])[], first = 0): RecentBatch[] {
  let [next, position] = [first, first * 100]
  return parts.map(([gap, more, sizeInBytes]) => {
    const relativeBase = next + gap
    const one = { relativeBase, relativeLast: relativeBase + more, position, sizeInBytes }
    next = one.relativeLast + 1
    position += sizeInBytes
    return one
  })
}

function noteAll(recent: RecentBatches, batches: readonly RecentBatch[]): number {
  for (const { relativeBase, relativeLast, position } of batches)
    recent.note(relativeBase, relativeLast, position)
  const last = batches.at(-1)
  return last === undefined ? 0 : last.position + last.sizeInBytes
}

/** Of `count` single records of 100 bytes. */
function single(count: number): RecentBatch[] {
  return laidOut(Array.from({ length: count }, () => [0, 0, 100] as const))
}

describe('recent batches', () => {
  it('find the first batch that reaches an offset, or know that it may lie before all of them', () => {
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 40 }), fc.nat(20), (parts, first) => {
        const recent = new RecentBatches()
        const batches = laidOut(parts, first)
        const end = noteAll(recent, batches)
        const last = batches.at(-1)?.relativeLast ?? 0
        for (let target = 0; target <= last + 2; target++) {
          const reaching = batches.find(({ relativeLast }) => relativeLast >= target)
          const isBefore = reaching === batches[0] && target < (reaching?.relativeBase ?? 0)
          expect(recent.find(target, end)).toEqual(isBefore ? undefined : reaching)
        }
      }),
      fcOptions(200),
    )
  })

  it('are found across the borders of what is kept together', () => {
    const recent = new RecentBatches()
    const batches = single(3_000)
    const end = noteAll(recent, batches)
    for (const n of [0, 1_023, 1_024, 2_047, 2_048, 2_999]) expect(recent.find(n, end)).toEqual(batches[n])
    expect(recent.find(3_000, end)).toBeUndefined()
  })

  it('are gone when they are forgotten, and begin anew', () => {
    const recent = new RecentBatches()
    noteAll(recent, single(10))
    recent.forget()
    expect(recent.find(3, 1_000)).toBeUndefined()
    recent.note(20, 24, 5_000)
    expect(recent.find(3, 5_100)).toBeUndefined()
    expect(recent.find(22, 5_100)).toEqual({
      relativeBase: 20,
      relativeLast: 24,
      position: 5_000,
      sizeInBytes: 100,
    })
  })

  it('of all segments share a bounded room: the oldest make way', () => {
    const [old, busy] = [new RecentBatches(), new RecentBatches()]
    noteAll(old, single(2_000))
    for (let n = 0; n < 2_048 * 1_024; n++) busy.note(n, n, n)
    expect(old.find(1_500, 200_000)).toBeUndefined()
    expect(busy.find(2_000_000, 2_048 * 1_024)).toMatchObject({ relativeBase: 2_000_000 })
    old.note(5_000, 5_000, 500_000)
    expect(old.find(5_000, 500_100)).toMatchObject({ position: 500_000 })
    busy.forget()
  })
})
