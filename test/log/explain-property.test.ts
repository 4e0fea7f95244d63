/** For any log, settings and time: what is foretold is what the plans that act then do. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkFrom } from '../../lib/log/explain-checks.js'
import { fatesOf } from '../../lib/log/explain-retention.js'
import {
  planRetention,
  type RetentionFacts,
  type RetentionPolicy,
  type RetentionSegment,
} from '../../lib/log/retention-plan.js'
import { type RollFacts, rollReason, rollRoom } from '../../lib/segment/roll-reason.js'
import { fcOptions } from '../support/random.js'

describe('what is foretold is what the plans then do', () => {
  const segment = fc.record({
    sizeInBytes: fc.nat(3),
    offsets: fc.nat(2),
    largestTimestamp: fc.constantFrom(-1n, 0n, 5n, 9n, 10n, 11n, 12n, 20n, 35n),
    modifiedMs: fc.constantFrom(0, 8, 14),
  })
  const policy: fc.Arbitrary<RetentionPolicy> = fc.record({
    cleanupPolicy: fc.constantFrom<RetentionPolicy['cleanupPolicy'][]>(
      ['delete'],
      ['compact'],
      ['compact', 'delete'],
    ),
    retentionBytes: fc.constantFrom(-1, 0, 2, 5, 100),
    retentionMs: fc.constantFrom(-1, 0, 3, 10, Number.POSITIVE_INFINITY),
  })
  const log = fc.tuple(fc.array(segment, { minLength: 1, maxLength: 6 }), fc.nat(14), fc.nat(14)).map(factsOf)

  function factsOf([given, start, mark]: [
    { sizeInBytes: number; offsets: number; largestTimestamp: bigint; modifiedMs: number }[],
    number,
    number,
  ]): RetentionFacts {
    let next = 0n
    const segments = given.map(({ offsets, ...rest }, index): RetentionSegment => {
      const baseOffset = next
      next += BigInt(offsets + 1)
      return { ...rest, baseOffset, nextOffset: next, isActive: index === given.length - 1 }
    })
    const logStartOffset = BigInt(start) < next ? BigInt(start) : next
    const highWatermark = BigInt(mark) < next ? BigInt(mark) : next
    return {
      segments,
      logStartOffset,
      highWatermark: highWatermark > logStartOffset ? highWatermark : logStartOffset,
    }
  }

  /** Carries out check after check, as a log does; gives the time at which each base offset went. */
  function played(
    facts: RetentionFacts,
    rules: RetentionPolicy,
    checks: readonly number[],
  ): Map<bigint, number> {
    const went = new Map<bigint, number>()
    let { segments, logStartOffset } = facts
    for (const atMs of checks) {
      const plan = planRetention({ ...facts, segments, logStartOffset }, rules, atMs)
      for (const { segment: gone } of plan.deletions) went.set(gone.baseOffset, atMs)
      segments = segments.slice(plan.deletions.length)
      logStartOffset = plan.logStartOffset
      if (segments.length === 0) break
    }
    return went
  }

  it('check by check, for any log', () => {
    fc.assert(
      fc.property(
        log,
        policy,
        fc.integer({ min: 8, max: 14 }),
        fc.nat(3),
        fc.integer({ min: 1, max: 4 }),
        (facts, rules, nowMs, delayMs, intervalMs) => {
          const nextMs = nowMs + delayMs
          const checks = Array.from({ length: 60 }, (_, n) => nextMs + n * intervalMs)
          const went = played(facts, rules, checks)
          const fates = fatesOf(facts, rules, nowMs, planRetention(facts, rules, nowMs))
          const nextCheck = { kind: 'scheduled', nextMs, intervalMs } as const
          for (const {
            segment: { baseOffset },
            dueMs,
            holds,
          } of fates) {
            const foretold = dueMs === undefined ? undefined : (checkFrom(dueMs, nextCheck) as number)
            expect(went.get(baseOffset)).toBe(foretold)
            expect(holds.length > 0).toBe(dueMs !== nowMs)
          }
          expect(fates.map(({ segment: { baseOffset } }) => baseOffset)).toEqual(
            facts.segments.map(({ baseOffset }) => baseOffset),
          )
        },
      ),
      fcOptions(2_000),
    )
  })

  it('and an append rolls exactly where it goes beyond what is left', () => {
    const facts: fc.Arbitrary<RollFacts> = fc.record({
      baseOffset: fc.constantFrom(0n, 100n),
      sizeInBytes: fc.nat(4),
      firstTimestamp: fc.constantFrom(undefined, -1n, 0n, 4n),
      createdMs: fc.nat(6),
      rollJitterMs: fc.nat(2),
      offsetEntries: fc.nat(4),
      offsetCapacity: fc.constantFrom(3, 5),
      timeEntries: fc.nat(4),
      timeCapacity: fc.constantFrom(4, 6),
    })
    const limits = fc.record({
      maxSegmentBytes: fc.integer({ min: 4, max: 6 }),
      maxSegmentMs: fc.integer({ min: 2, max: 9 }),
    })
    fc.assert(
      fc.property(
        facts,
        limits,
        fc.nat(3),
        fc.nat(16),
        fc.boolean(),
        (segment, limit, appendBytes, ms, isBeyond) => {
          const room = rollRoom(segment, limit)
          const lastOffset = room.lastOffset + (isBeyond ? 1n : 0n)
          const beyond = {
            size: appendBytes > room.bytesLeft,
            time: room.time !== undefined && ms > room.time.untilMs,
            'offset-index-full': room.offsetEntriesLeft <= 0,
            'time-index-full': room.timeEntriesLeft <= 0,
            'offset-overflow': lastOffset > room.lastOffset,
          }
          const first = Object.entries(beyond).find(([, is]) => is)?.[0] ?? 'none'
          const append = { ...limit, appendBytes, lastOffset, maxTimestamp: BigInt(ms), nowMs: ms }
          expect(rollReason(segment, append)).toBe(first)
        },
      ),
      fcOptions(2_000),
    )
  })
})
