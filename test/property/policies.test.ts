/** Each pure decision of the engine against a slow, obvious statement of the same rule. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT32_MAX, INT64_MAX } from '../../lib/base/int64.js'
import { resolveLogConfig } from '../../lib/config/log-config.js'
import { checkTimestamp } from '../../lib/log/append-check.js'
import { LeaderEpochs } from '../../lib/log/leader-epochs.js'
import type { LogState } from '../../lib/log/log-state.js'
import { planRead } from '../../lib/log/read-plan.js'
import { planTruncation } from '../../lib/log/truncate.js'
import { type BatchFacts, emptyIndexState, planIndexEntries } from '../../lib/segment/index-plan.js'
import { entriesBelow } from '../../lib/segment/index-search.js'
import { type RollFacts, type RollRequest, rollReason } from '../../lib/segment/roll-reason.js'
import type { Segment } from '../../lib/segment/segment.js'
import { fcOptions } from '../support/random.js'

describe('rollReason', () => {
  const around = (n: number) => fc.integer({ min: Math.max(0, n - 2), max: n + 2 })
  const segment: fc.Arbitrary<RollFacts> = fc.record({
    baseOffset: fc.constantFrom(0n, 100n),
    sizeInBytes: fc.oneof(fc.constant(0), around(90)),
    firstTimestamp: fc.constantFrom(undefined, -1n, 0n, 1000n),
    createdMs: around(1000),
    rollJitterMs: fc.nat(3),
    offsetEntries: around(4),
    offsetCapacity: around(4),
    timeEntries: around(4),
    timeCapacity: around(4),
  })
  const request: fc.Arbitrary<RollRequest> = fc.record({
    appendBytes: around(10),
    lastOffset: fc.constantFrom(99n, 100n, 2_147_483_647n, 2_147_483_648n, 2_147_483_747n, 2_147_483_748n),
    maxTimestamp: fc.constantFrom(-1n, 999n, 1000n, 1010n, 1011n, 1013n, INT64_MAX),
    nowMs: fc.integer({ min: 1005, max: 1016 }),
    maxSegmentBytes: fc.constantFrom(100, INT32_MAX),
    maxSegmentMs: fc.constantFrom(10, Number.POSITIVE_INFINITY),
  })

  it('names the first of the five conditions that holds', () => {
    fc.assert(
      fc.property(segment, request, (facts, append) => {
        const byRecords = facts.firstTimestamp !== undefined && facts.firstTimestamp >= 0n
        const waited = byRecords
          ? append.maxTimestamp - (facts.firstTimestamp as bigint)
          : BigInt(append.nowMs - facts.createdMs)
        const limit = append.maxSegmentMs - facts.rollJitterMs
        const late = limit !== Number.POSITIVE_INFINITY && waited > BigInt(limit)
        const conditions = {
          size: BigInt(facts.sizeInBytes) + BigInt(append.appendBytes) > BigInt(append.maxSegmentBytes),
          time: facts.sizeInBytes > 0 && late,
          'offset-index-full': facts.offsetEntries >= facts.offsetCapacity,
          'time-index-full': facts.timeEntries + 1 >= facts.timeCapacity,
          'offset-overflow':
            append.lastOffset < facts.baseOffset || append.lastOffset - facts.baseOffset > 2n ** 31n - 1n,
        }
        const first = Object.entries(conditions).find(([, holds]) => holds)
        expect(rollReason(facts, append)).toBe(first?.[0] ?? 'none')
      }),
      fcOptions(2000),
    )
  })
})

describe('planIndexEntries', () => {
  const batches = fc.array(
    fc.record({
      sizeInBytes: fc.integer({ min: 1, max: 300 }),
      span: fc.nat(4),
      maxTimestamp: fc.bigInt(-1n, 40n),
    }),
    { minLength: 1, maxLength: 20 },
  )

  it('known fault 31a: is due after more than the interval, whether batches come in one append or in many', () => {
    fc.assert(
      fc.property(batches, fc.nat(600), fc.nat(20), fc.nat(8), (spans, interval, offsetRoom, timeRoom) => {
        let next = 500n
        const facts: BatchFacts[] = spans.map(({ sizeInBytes, span, maxTimestamp }) => {
          next += BigInt(span) + 1n
          return { sizeInBytes, lastOffset: next - 1n, maxTimestamp }
        })
        const expected = slowly(facts, interval, offsetRoom, timeRoom)
        expect(inOneAppend(facts, interval, offsetRoom, timeRoom)).toEqual(expected)
        expect(oneByOne(facts, interval, offsetRoom, timeRoom)).toEqual(expected)
      }),
      fcOptions(500),
    )
  })

  /** Looks back over all that was written, for every batch. */
  function slowly(facts: readonly BatchFacts[], interval: number, offsetRoom: number, timeRoom: number) {
    const offsets: [number, number][] = []
    const times: [bigint, number][] = []
    let indexedTo = 0
    for (const [n, { lastOffset }] of facts.entries()) {
      const position = sum(facts.slice(0, n))
      if (position - indexedTo <= interval || offsets.length === offsetRoom) continue
      offsets.push([Number(lastOffset - 500n), position])
      indexedTo = position
      const seen = facts.slice(0, n + 1)
      const largest = seen.reduce((max, { maxTimestamp }) => (maxTimestamp > max ? maxTimestamp : max), -1n)
      const holder = seen.find(({ maxTimestamp }) => maxTimestamp === largest) as BatchFacts
      if (largest <= (times.at(-1)?.[0] ?? -1n) || times.length === timeRoom) continue
      times.push([largest, Number(holder.lastOffset - 500n)])
    }
    return { offsets, times }
  }

  const sum = (facts: readonly BatchFacts[]) =>
    facts.reduce((total, { sizeInBytes }) => total + sizeInBytes, 0)

  function inOneAppend(
    facts: readonly BatchFacts[],
    indexIntervalBytes: number,
    offsetRoom: number,
    timeRoom: number,
  ) {
    const input = { baseOffset: 500n, indexIntervalBytes, position: 0, offsetRoom, timeRoom }
    return entriesOf(planIndexEntries(emptyIndexState(500n), facts, input))
  }

  function oneByOne(
    facts: readonly BatchFacts[],
    indexIntervalBytes: number,
    offsetRoom: number,
    timeRoom: number,
  ) {
    const all: ReturnType<typeof entriesOf> = { offsets: [], times: [] }
    let state = emptyIndexState(500n)
    for (const [n, batch] of facts.entries()) {
      const plan = planIndexEntries(state, [batch], {
        baseOffset: 500n,
        indexIntervalBytes,
        position: sum(facts.slice(0, n)),
        offsetRoom: offsetRoom - all.offsets.length,
        timeRoom: timeRoom - all.times.length,
      })
      const { offsets, times } = entriesOf(plan)
      all.offsets.push(...offsets)
      all.times.push(...times)
      state = plan.state
    }
    return all
  }

  function entriesOf(plan: ReturnType<typeof planIndexEntries>) {
    const offsetBytes = Buffer.from(plan.offsetEntries ?? [])
    const timeBytes = Buffer.from(plan.timeEntries ?? [])
    const offsets = Array.from({ length: offsetBytes.length / 8 }, (_, n): [number, number] => [
      offsetBytes.readInt32BE(n * 8),
      offsetBytes.readInt32BE(n * 8 + 4),
    ])
    const times = Array.from({ length: timeBytes.length / 12 }, (_, n): [bigint, number] => [
      timeBytes.readBigInt64BE(n * 12),
      timeBytes.readInt32BE(n * 12 + 8),
    ])
    return { offsets, times }
  }
})

describe('plans over segments', () => {
  const bases = fc
    .uniqueArray(fc.bigInt(0n, 30n), { minLength: 1, maxLength: 8 })
    .map((all) => all.sort((a, b) => (a < b ? -1 : 1)))
  const segmentsAt = (all: readonly bigint[]) => all.map((baseOffset) => ({ baseOffset }) as Segment)

  it('planTruncation removes what begins above the offset, the highest first', () => {
    fc.assert(
      fc.property(bases, fc.bigInt(0n, 32n), (all, offset) => {
        const { keep, remove } = planTruncation(segmentsAt(all), offset)
        expect(keep.map(({ baseOffset }) => baseOffset)).toEqual(all.filter((base) => base <= offset))
        const gone = all.filter((base) => base > offset).sort((a, b) => (a > b ? -1 : 1))
        expect(remove.map(({ baseOffset }) => baseOffset)).toEqual(gone)
      }),
      fcOptions(300),
    )
  })

  it('planRead goes to the last segment that begins at or below the offset, else to the first', () => {
    fc.assert(
      fc.property(bases, fc.bigInt(0n, 2n ** 33n), fc.bigInt(0n, 2n ** 33n), (all, offset, upperBound) => {
        const plan = planRead({ segments: segmentsAt(all) } as unknown as LogState, offset, upperBound)
        if (offset >= upperBound) {
          expect(plan).toBeNull()
          return
        }
        const base = all.findLast((one) => one <= offset) ?? (all[0] as bigint)
        expect(plan?.segment.baseOffset).toBe(base)
        expect(plan?.nextBaseOffset).toBe(all.find((one) => one > base) ?? null)
        const distance = offset > base ? offset - base : 0n
        // Beyond what a segment can hold, too: a batch behind the gap is then in the next one.
        expect(plan?.target).toBe(Number(distance))
      }),
      fcOptions(300),
    )
  })

  it('entriesBelow counts the values below', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (values, target) => {
        const sorted = [...values].sort((a, b) => a - b)
        expect(entriesBelow(target, sorted.length, (n) => sorted[n] as number)).toBe(
          sorted.filter((value) => value < target).length,
        )
      }),
      fcOptions(300),
    )
  })
})

describe('LeaderEpochs', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: -1, max: 6 }), fc.bigInt(0n, 20n)), { maxLength: 12 })

  it('holds, after any assignments, rising epochs at rising offsets, and the last assignment', () => {
    fc.assert(
      fc.property(steps, fc.bigInt(0n, 22n), (all, cut) => {
        let epochs = new LeaderEpochs([])
        for (const [epoch, startOffset] of all) {
          const before = epochs
          epochs = epochs.assigned(epoch, startOffset)
          expect(epochs.entries).toEqual(slowlyAssigned(before.entries, epoch, startOffset))
        }
        const { entries } = epochs
        for (const [n, entry] of entries.entries()) {
          const next = entries[n + 1]
          if (next !== undefined)
            expect(next.epoch > entry.epoch && next.startOffset > entry.startOffset).toBe(true)
        }
        expect(epochs.truncatedFromEnd(cut).entries).toEqual(
          entries.filter((entry) => entry.startOffset < cut),
        )
        const from = epochs.truncatedFromStart(cut).entries
        for (let offset = cut; offset < 25n; offset++)
          expect(epochAt(from, offset)).toBe(epochAt(entries, offset))
        expect(from.every(({ startOffset }) => startOffset >= cut)).toBe(true)
      }),
      fcOptions(500),
    )
  })

  type Entries = LeaderEpochs['entries']
  const epochAt = (entries: Entries, offset: bigint) =>
    entries.findLast(({ startOffset }) => startOffset <= offset)?.epoch

  /** What is not older, or does not begin before, gives way. */
  function slowlyAssigned(entries: Entries, epoch: number, startOffset: bigint): Entries {
    const latest = entries.at(-1)
    const known = latest?.epoch === epoch && latest.startOffset <= startOffset
    if (epoch < 0 || known) return entries
    return [
      ...entries.filter((entry) => entry.epoch < epoch).filter((entry) => entry.startOffset < startOffset),
      { epoch, startOffset },
    ]
  }
})

describe('checkTimestamp', () => {
  it('takes what lies within the bounds, edges included, and -1', () => {
    const times = fc.oneof(fc.bigInt(-1n, INT64_MAX), fc.bigInt(900n, 1100n), fc.constant(-1n))
    const limit = fc.constantFrom<(number | string)[]>(0, 50, 100, '9223372036854775807')
    fc.assert(
      fc.property(times, limit, limit, fc.boolean(), (timestamp, before, after, appendTime) => {
        const config = resolveLogConfig({
          messageTimestampBeforeMaxMs: before,
          messageTimestampAfterMaxMs: after,
          messageTimestampType: appendTime ? 'LogAppendTime' : 'CreateTime',
        })
        const fits = timestamp >= 1000n - BigInt(before) && timestamp <= 1000n + BigInt(after)
        const passes = appendTime || timestamp === -1n || fits
        const check = () => checkTimestamp(timestamp, 1000, config, 3)
        if (passes) expect(check).not.toThrow()
        else
          expect(check).toThrow(
            expect.objectContaining({ code: 'ERR_TIMESTAMP_OUT_OF_BOUNDS', recordIndex: 3 }),
          )
      }),
      fcOptions(500),
    )
  })
})
