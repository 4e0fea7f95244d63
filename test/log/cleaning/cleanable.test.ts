/** How much of a log could be cleaned, and what stands in the way. */
import { describe, expect, test } from 'vitest'
import {
  type CleanableFacts,
  type CleanablePolicy,
  planCleanable,
} from '../../../lib/log/cleaning/cleanable.js'

const NOW_MS = 1_000_000
const POLICY: CleanablePolicy = {
  cleanupPolicy: ['compact'],
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.POSITIVE_INFINITY,
  minCleanableDirtyRatio: 0.5,
}

interface Cut {
  readonly size?: number
  readonly largest?: number
  readonly first?: number
}

/** Segments of ten offsets and 100 bytes; the last is active, with five offsets. */
function facts(cuts: readonly Cut[], others: Partial<CleanableFacts> = {}): CleanableFacts {
  const end = BigInt(cuts.length * 10 - 5)
  return {
    logStartOffset: 0n,
    lastStableOffset: end,
    logEndOffset: end,
    checkpoint: undefined,
    segments: cuts.map(({ size = 100, largest = 0, first = 0 }, n) => ({
      baseOffset: BigInt(n * 10),
      sizeInBytes: size,
      largestTimestamp: BigInt(largest),
      firstTimestamp: BigInt(first),
    })),
    ...others,
  }
}

const plan = (given: CleanableFacts, policy: Partial<CleanablePolicy> = {}) =>
  planCleanable(given, { ...POLICY, ...policy }, NOW_MS)

describe('the section that can be cleaned', () => {
  test('goes from the log’s start to the active segment where nothing was cleaned', () => {
    expect(plan(facts([{}, {}, {}]))).toMatchObject({
      firstDirtyOffset: 0n,
      firstUncleanableOffset: 20n,
      cleanBytes: 0,
      cleanableBytes: 200,
      dirtyBytes: 300,
      dirtyRatio: 1,
      isDue: true,
      limits: [{ kind: 'active segment', offset: 20n }, { kind: 'last stable offset' }],
    })
  })

  test('is empty in a log of one segment', () => {
    expect(plan(facts([{}]))).toMatchObject({ firstUncleanableOffset: 0n, cleanableBytes: 0, isDue: false })
  })

  test('begins at the checkpoint', () => {
    const given = plan(facts([{}, {}, {}, {}], { checkpoint: 20n }))
    expect(given).toMatchObject({
      cleanBytes: 200,
      cleanableBytes: 100,
      firstUncleanableOffset: 30n,
      isDue: false,
    })
    expect(given.dirtyRatio).toBeCloseTo(1 / 3)
  })

  test('a checkpoint within a segment has that segment on both sides, as in Kafka', () => {
    expect(plan(facts([{}, {}, {}], { checkpoint: 15n }))).toMatchObject({
      cleanBytes: 200,
      cleanableBytes: 100,
    })
  })

  test('ends with the segment before the one that holds the last stable offset', () => {
    expect(plan(facts([{}, {}, {}, {}], { lastStableOffset: 15n }))).toMatchObject({
      firstUncleanableOffset: 10n,
      limits: [{ kind: 'last stable offset', offset: 15n }, { kind: 'active segment' }],
    })
  })

  test('ends at an empty active segment because of that, and not because the log ends there', () => {
    expect(plan(facts([{}, {}, { size: 0 }], { lastStableOffset: 20n, logEndOffset: 20n }))).toMatchObject({
      limits: [
        { kind: 'active segment', offset: 20n },
        { kind: 'last stable offset', offset: 20n },
      ],
    })
  })

  test('ends at the first segment with a record younger than min.compaction.lag.ms', () => {
    const cuts = [{ largest: NOW_MS - 1_000 }, { largest: NOW_MS - 999 }, { largest: 0 }, {}]
    expect(plan(facts(cuts), { minCompactionLagMs: 1_000 })).toMatchObject({
      firstUncleanableOffset: 10n,
      limits: [{ kind: 'min.compaction.lag.ms', offset: 10n, untilMs: NOW_MS + 1 }, {}, {}],
    })
  })

  test('a lag without end keeps everything', () => {
    expect(plan(facts([{}, {}]), { minCompactionLagMs: Number.POSITIVE_INFINITY })).toMatchObject({
      firstUncleanableOffset: 0n,
      isDue: false,
    })
  })

  test('does not ask for timestamps that no setting needs', () => {
    const given = facts([{}, {}])
    const segments = given.segments.map(({ baseOffset, sizeInBytes }) => ({
      baseOffset,
      sizeInBytes,
      get largestTimestamp(): bigint {
        throw new Error('asked')
      },
      get firstTimestamp(): bigint {
        throw new Error('asked')
      },
    }))
    expect(plan({ ...given, segments }).isDue).toBe(true)
  })
})

describe('a log is due', () => {
  test('only above the ratio, not at it', () => {
    const given = facts([{}, {}, {}], { checkpoint: 10n })
    expect(plan(given)).toMatchObject({ dirtyRatio: 0.5, isDue: false })
    expect(plan(given, { minCleanableDirtyRatio: 0.49 }).isDue).toBe(true)
  })

  test('whatever its ratio, once max.compaction.lag.ms has passed for the first record of a dirty segment', () => {
    const given = (first: number) => facts([{}, {}, { first }, {}], { checkpoint: 20n })
    const policy = { maxCompactionLagMs: 1_000 }
    expect(plan(given(NOW_MS - 1_000), policy)).toMatchObject({ isOverdue: false, isDue: false })
    expect(plan(given(NOW_MS - 1_001), policy)).toMatchObject({ isOverdue: true, isDue: true })
    // A record without a time says nothing, and neither does the active segment.
    expect(plan(given(-1), policy).isOverdue).toBe(false)
    expect(plan(facts([{}, { first: 1 }], { checkpoint: 10n }), policy).isOverdue).toBe(false)
  })

  test('known fault 109: a log above 2^53 bytes still has a ratio between 0 and 1', () => {
    const huge = { size: 2 ** 52 }
    const { dirtyRatio } = plan(facts([huge, huge, huge, {}], { checkpoint: 10n }))
    expect(dirtyRatio).toBeCloseTo(2 / 3)
  })
})

describe('known fault 97: a checkpoint outside of the log', () => {
  test('below its start: begins at the start', () => {
    expect(plan(facts([{}, {}, {}], { checkpoint: 5n, logStartOffset: 10n }))).toMatchObject({
      firstDirtyOffset: 10n,
      reset: 'below the log start offset',
    })
  })

  test('above its end: begins at the start', () => {
    expect(plan(facts([{}, {}], { checkpoint: 1_000_000_000n }))).toMatchObject({
      firstDirtyOffset: 0n,
      reset: 'above the log end offset',
    })
  })

  test('a start within the active segment leaves nothing to clean', () => {
    expect(plan(facts([{}, {}], { logStartOffset: 13n }))).toMatchObject({
      firstDirtyOffset: 13n,
      firstUncleanableOffset: 10n,
      cleanableBytes: 0,
      isDue: false,
    })
  })

  test('at its end: all is clean', () => {
    expect(plan(facts([{}, {}], { checkpoint: 15n }))).toMatchObject({
      firstDirtyOffset: 15n,
      reset: undefined,
      cleanableBytes: 0,
      dirtyBytes: 100,
      isDue: false,
    })
  })
})
