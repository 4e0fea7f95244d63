/**
 * What retention takes, against a slow, literal telling of how Kafka does it:
 * three passes, each over what the ones before have left, each from the oldest
 * segment on until one stays.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CleanupPolicy } from '../../lib/config/settings.js'
import {
  planRetention,
  type RetentionFacts,
  type RetentionPolicy,
  type RetentionSegment,
} from '../../lib/log/retention-plan.js'
import { fcOptions } from '../support/random.js'

const NOW = 1_000_000
const FOREVER = Number.POSITIVE_INFINITY

/** A log as the model changes it. */
interface Model {
  segments: RetentionSegment[]
  logStartOffset: bigint
  readonly highWatermark: bigint
  readonly logEndOffset: bigint
  readonly gone: RetentionSegment[]
  readonly warned: RetentionSegment[]
  rolled: boolean
}

function modelOf(facts: RetentionFacts): Model {
  const logEndOffset = facts.segments.at(-1)?.nextOffset ?? 0n
  return { ...facts, segments: [...facts.segments], logEndOffset, gone: [], warned: [], rolled: false }
}

/** Deletes from the oldest on what `shouldDelete`, as one pass does. */
function pass(
  model: Model,
  shouldDelete: (segment: RetentionSegment, next?: RetentionSegment) => boolean,
): void {
  const deletable: RetentionSegment[] = []
  for (const [index, segment] of model.segments.entries()) {
    const next = model.segments[index + 1]
    const upperBound = next === undefined ? model.logEndOffset : next.baseOffset
    if (model.highWatermark < upperBound) break
    if (next === undefined && segment.sizeInBytes === 0) break
    if (!shouldDelete(segment, next)) break
    deletable.push(segment)
  }
  if (deletable.length === 0) return
  if (deletable.length === model.segments.length) {
    // There is always a segment: an empty one is made before the last goes.
    model.rolled = true
    model.segments.push(emptySegment(model.logEndOffset))
  }
  model.segments = model.segments.slice(deletable.length)
  model.gone.push(...deletable)
  const start = model.segments[0]?.baseOffset ?? model.logEndOffset
  if (start > model.logStartOffset) model.logStartOffset = start
}

function emptySegment(offset: bigint): RetentionSegment {
  return {
    baseOffset: offset,
    nextOffset: offset,
    isActive: true,
    sizeInBytes: 0,
    largestTimestamp: -1n,
    modifiedMs: NOW,
  }
}

function retained(facts: RetentionFacts, policy: RetentionPolicy, nowMs: number): Model {
  const model = modelOf(facts)
  const { logStartOffset } = model
  pass(model, (_, next) => next !== undefined && next.baseOffset <= logStartOffset)
  if (!policy.cleanupPolicy.includes('delete')) return model
  if (policy.retentionBytes >= 0) {
    let tooMuch =
      model.segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0) - policy.retentionBytes
    pass(model, ({ sizeInBytes }) => {
      if (tooMuch - sizeInBytes < 0) return false
      tooMuch -= sizeInBytes
      return true
    })
  }
  if (policy.retentionMs >= 0) {
    pass(model, (segment) => {
      const newest = segment.largestTimestamp >= 0n ? Number(segment.largestTimestamp) : segment.modifiedMs
      if (newest > nowMs) model.warned.push(segment)
      return nowMs - newest > policy.retentionMs
    })
  }
  return model
}

const size = fc.oneof(fc.constantFrom(0, 1, 10, 2 ** 31 - 1), fc.nat(40))
const timestamp = fc.oneof(
  fc.constant(-1n),
  fc.bigInt({ min: BigInt(NOW - 60), max: BigInt(NOW + 20) }),
  // Microseconds where milliseconds are meant, and seconds.
  fc.constantFrom(1_700_000_000_000_000n, 1_700n, 0n, 2n ** 63n - 1n),
)
const facts: fc.Arbitrary<RetentionFacts> = fc
  .record({
    base: fc.constantFrom(0n, 7n, 2n ** 40n),
    spans: fc.array(
      fc.record({
        span: fc.bigInt({ min: 0n, max: 5n }),
        sizeInBytes: size,
        largestTimestamp: timestamp,
        modifiedMs: fc.integer({ min: NOW - 60, max: NOW + 20 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    startAt: fc.double({ min: 0, max: 1, noNaN: true }),
    watermarkAt: fc.oneof(
      { weight: 2, arbitrary: fc.constant(1) },
      fc.double({ min: 0, max: 1, noNaN: true }),
    ),
  })
  .map(({ base, spans, startAt, watermarkAt }) => {
    let next = base
    const segments = spans.map(({ span, ...rest }, index) => {
      const baseOffset = next
      const isActive = index === spans.length - 1
      // A sealed segment spans an offset at least; an empty active one may span none.
      next += isActive && rest.sizeInBytes === 0 ? 0n : span + (isActive ? 0n : 1n)
      return { ...rest, baseOffset, nextOffset: next, isActive }
    })
    const along = (share: number) => base + BigInt(Math.round(Number(next - base) * share))
    const logStartOffset = along(startAt * startAt)
    const highWatermark = along(watermarkAt)
    return {
      segments,
      logStartOffset,
      highWatermark: highWatermark < logStartOffset ? logStartOffset : highWatermark,
    }
  })

const policies: readonly (readonly CleanupPolicy[])[] = [['delete'], ['compact'], ['compact', 'delete'], []]
const policy: fc.Arbitrary<RetentionPolicy> = fc.record({
  cleanupPolicy: fc.constantFrom(...policies),
  retentionBytes: fc.oneof(fc.constantFrom(-1, 0, 1, FOREVER), fc.nat(120)),
  retentionMs: fc.oneof(fc.constantFrom(-1, 0, FOREVER), fc.nat(70)),
})

/** The log as it is when the plan is carried out. */
function after(
  { segments, highWatermark }: RetentionFacts,
  plan: ReturnType<typeof planRetention>,
): RetentionFacts {
  const left = segments.slice(plan.deletions.length)
  const { logStartOffset } = plan
  const end = segments.at(-1)?.nextOffset ?? 0n
  return { segments: plan.rollsFirst ? [...left, emptySegment(end)] : left, highWatermark, logStartOffset }
}

describe('planRetention', () => {
  test('takes what Kafka’s three passes take, in their order', () => {
    fc.assert(
      fc.property(facts, policy, (log, settings) => {
        const plan = planRetention(log, settings, NOW)
        const model = retained(log, settings, NOW)
        expect(plan.deletions.map(({ segment }) => segment)).toEqual(model.gone)
        expect(plan.logStartOffset).toBe(model.logStartOffset)
        expect(plan.rollsFirst).toBe(model.rolled)
        expect(plan.fromFuture).toEqual(model.warned)
      }),
      fcOptions(1500),
    )
  })

  test('known fault 110: takes nothing that reaches above the high watermark, and no empty active segment', () => {
    fc.assert(
      fc.property(facts, policy, (log, settings) => {
        for (const { segment } of planRetention(log, settings, NOW).deletions) {
          expect(segment.nextOffset <= log.highWatermark).toBe(true)
          expect(segment.isActive && segment.sizeInBytes === 0).toBe(false)
        }
      }),
      fcOptions(500),
    )
  })

  test('known fault 112: a second check right after finds nothing more to do', () => {
    fc.assert(
      fc.property(facts, policy, (log, settings) => {
        const first = planRetention(log, settings, NOW)
        const second = planRetention(after(log, first), settings, NOW)
        expect(second.deletions).toEqual([])
        expect(second.logStartOffset).toBe(first.logStartOffset)
      }),
      fcOptions(500),
    )
  })

  test('gives each deletion a cause that holds for it', () => {
    fc.assert(
      fc.property(facts, policy, (log, settings) => {
        const { deletions, logStartOffset } = planRetention(log, settings, NOW)
        const order = ['log start offset', 'retention.bytes', 'retention.ms']
        let rank = 0
        let bytes = log.segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
        for (const { segment, cause } of deletions) {
          expect(order.indexOf(cause.rule)).toBeGreaterThanOrEqual(rank)
          rank = order.indexOf(cause.rule)
          bytes -= segment.sizeInBytes
          if (cause.rule === 'log start offset') {
            expect(segment.nextOffset <= log.logStartOffset && !segment.isActive).toBe(true)
          } else if (cause.rule === 'retention.bytes') {
            expect(cause).toEqual({ ...cause, retentionBytes: settings.retentionBytes, logBytesAfter: bytes })
            expect(bytes).toBeGreaterThanOrEqual(settings.retentionBytes)
          } else {
            const newest = cause.basedOn === 'record' ? Number(segment.largestTimestamp) : segment.modifiedMs
            expect(cause.basedOn).toBe(segment.largestTimestamp < 0n ? 'file' : 'record')
            expect(NOW - newest).toBeGreaterThan(settings.retentionMs)
          }
          expect(segment.nextOffset <= logStartOffset).toBe(true)
        }
      }),
      fcOptions(500),
    )
  })

  test('asks for a timestamp only where a rule needs it', () => {
    fc.assert(
      fc.property(facts, policy, (log, settings) => {
        let asked = 0
        const segments = log.segments.map((segment) => ({
          ...segment,
          get largestTimestamp() {
            asked++
            return segment.largestTimestamp
          },
        }))
        const { deletions } = planRetention({ ...log, segments }, settings, NOW)
        const byTime = deletions.filter(({ cause }) => cause.rule === 'retention.ms').length
        const looks = settings.cleanupPolicy.includes('delete') && settings.retentionMs >= 0
        // Each look reads an index: those that go, and the first that stays.
        expect(asked).toBeLessThanOrEqual(looks ? 3 * (byTime + 1) : 0)
      }),
      fcOptions(500),
    )
  })

  test('known fault 8: sums sizes beyond 32 bits', () => {
    const segments = Array.from({ length: 4 }, (_, n) => ({
      ...emptySegment(BigInt(n)),
      nextOffset: BigInt(n) + 1n,
      isActive: n === 3,
      sizeInBytes: 2 ** 31 - 1,
    }))
    const log = { segments, logStartOffset: 0n, highWatermark: 4n }
    const settings = { cleanupPolicy: ['delete'] as const, retentionBytes: 2 ** 32, retentionMs: -1 }
    expect(planRetention(log, settings, NOW).deletions).toMatchObject([
      { cause: { logBytesAfter: 3 * (2 ** 31 - 1) } },
    ])
  })

  test('known fault 125, 127: micro- and nanoseconds keep a segment and all behind it, seconds take it', () => {
    const at = (largestTimestamp: bigint, n: number): RetentionSegment => ({
      ...emptySegment(BigInt(n)),
      nextOffset: BigInt(n) + 1n,
      isActive: n === 2,
      sizeInBytes: 10,
      largestTimestamp,
    })
    const now = 1_700_000_000_000
    const plan = (times: readonly bigint[]) => {
      const log = { segments: times.map(at), logStartOffset: 0n, highWatermark: 3n }
      return planRetention(
        log,
        { cleanupPolicy: ['delete'], retentionBytes: -1, retentionMs: 604_800_000 },
        now,
      )
    }
    for (const future of [1_700_000_000_000_000n, 1_700_000_000_000_000_000n, 2n ** 63n - 1n]) {
      const { deletions, fromFuture } = plan([future, 0n, 0n])
      expect([deletions.length, fromFuture.length]).toEqual([0, 1])
    }
    expect(plan([1_700_000_000n, 1_700_000_000n, 1_700_000_000_000n]).deletions).toHaveLength(2)
  })
})
