/** What a log tells of itself: the reasons, one by one, and that what it foretells is what then happens. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { nextCheckAt } from '../../lib/log/explain-checks.js'
import type { LogExplanation } from '../../lib/log/explained-log.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { closeLater } from '../support/log.js'
import { START_MS, type TestMachine, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const CHECKS = { initialTaskDelayMs: 2_000, retentionCheckIntervalMs: 2_000 }

async function opened(
  config: LogConfigInput = {},
  options: OpenLogOptions & { path?: string; machine?: TestMachine } = {},
) {
  const { path = join(tempDir(), 'orders-0'), machine = testMachine(), ...rest } = options
  const log = closeLater(await openLogOn(machine, path, { config, manager: CHECKS, ...rest }))
  return { log, machine, path }
}

/** A segment for each time: its newest record has it. */
function segmentsOf(log: PartitionLog, ...timestamps: number[]): void {
  for (const [n, timestamp] of timestamps.entries()) {
    if (n > 0) log.roll()
    log.append([{ value: 'v'.repeat(100), timestamp }])
  }
}

function rulesThatKeep({ segments }: LogExplanation): string[][] {
  return segments.map(({ stays }) => stays.map(({ rule }) => rule))
}

describe('a segment stays', () => {
  it('because its newest record is young, until then', async () => {
    const { log } = await opened({ retentionMs: 20_000 })
    segmentsOf(log, START_MS - 20_000, START_MS)
    const { segments, rulesOff } = log.explain()
    expect(rulesOff).toEqual([{ rule: 'retention.bytes', because: 'retention.bytes=-1' }])
    expect(segments[0]?.stays).toEqual([
      { rule: 'log start offset', logStartOffset: 0n, isActive: false },
      { rule: 'retention.ms', retentionMs: 20_000, basedOn: 'record', ageMs: 20_000, untilMs: START_MS },
    ])
    expect(segments[0]).toMatchObject({ expiresMs: START_MS, dueMs: START_MS + 1, checkMs: START_MS + 2_000 })
    expect(segments[1]).toMatchObject({ goes: null, dueMs: START_MS + 20_001, checkMs: START_MS + 22_000 })
  })

  it('because the log is within retention.bytes, by so many bytes', async () => {
    const { log } = await opened({ retentionMs: -1, retentionBytes: 200 })
    segmentsOf(log, START_MS, START_MS, START_MS)
    const size = log.segments[0]?.sizeInBytes as number
    const { segments, rulesOff } = log.explain()
    expect(rulesOff).toEqual([{ rule: 'retention.ms', because: 'retention.ms=-1' }])
    expect(segments[0]).toMatchObject({
      goes: { rule: 'retention.bytes', retentionBytes: 200, logBytesAfter: 2 * size },
      stays: [],
      expiresMs: null,
    })
    expect(segments[1]?.stays.at(-1)).toEqual({
      rule: 'retention.bytes',
      retentionBytes: 200,
      missingBytes: 200 - size,
    })
    expect(segments[1]).toMatchObject({ goes: null, dueMs: null, checkMs: null, filesRemovedMs: null })
  })

  it('because its records are from the future', async () => {
    const { log } = await opened({ retentionMs: 1_000, messageTimestampAfterMaxMs: 9_999_999 })
    segmentsOf(log, START_MS + 5_000)
    expect(log.explain().segments[0]?.stays.at(-1)).toMatchObject({
      ageMs: -5_000,
      untilMs: START_MS + 6_000,
    })
  })

  it('because the high watermark lies in it, and those behind it with it', async () => {
    const { log } = await opened({ retentionMs: 10 }, { highWatermark: 'manual' })
    segmentsOf(log, START_MS - 100, START_MS - 100, START_MS - 100)
    log.setHighWatermark(1)
    const explained = log.explain()
    expect(rulesThatKeep(explained)).toEqual([
      [],
      ['high watermark', 'log start offset'],
      ['high watermark', 'log start offset'],
    ])
    expect(explained.segments.map(({ goes, dueMs }) => [goes?.rule, dueMs])).toEqual([
      ['retention.ms', START_MS],
      [undefined, null],
      [undefined, null],
    ])
  })

  it('because an older one stays longer', async () => {
    const { log } = await opened({ retentionMs: 10_000 })
    segmentsOf(log, START_MS - 1_000, START_MS - 60_000, START_MS)
    const explained = log.explain()
    expect(explained.segments[1]?.stays).toEqual([
      { rule: 'oldest first', baseOffset: 0n },
      { rule: 'log start offset', logStartOffset: 0n, isActive: false },
    ])
    expect(explained.segments[1]).toMatchObject({
      expiresMs: START_MS - 50_000,
      dueMs: START_MS + 9_001,
      checkMs: START_MS + 10_000,
    })
  })

  it('because it is active and empty', async () => {
    const { log } = await opened({ retentionMs: 0 })
    expect(rulesThatKeep(log.explain())).toEqual([['active and empty', 'log start offset', 'retention.ms']])
    expect(log.explain().segments[0]).toMatchObject({ goes: null, dueMs: null })
  })

  it('because the policy has no delete; the log start offset counts all the same', async () => {
    const { log } = await opened({ cleanupPolicy: 'compact', retentionMs: 10, retentionBytes: 1 })
    log.append([{ key: 'k', value: 'v', timestamp: 0 }])
    log.roll()
    log.append([{ key: 'k', value: 'v', timestamp: 0 }])
    await log.deleteRecordsBefore(1)
    const explained = log.explain()
    expect(explained.rulesOff).toEqual([
      { rule: 'retention.bytes', because: 'cleanup.policy=compact' },
      { rule: 'retention.ms', because: 'cleanup.policy=compact' },
    ])
    expect(explained.segments.map(({ goes }) => goes)).toEqual([
      { rule: 'log start offset', logStartOffset: 1n },
      null,
    ])
    expect(explained.segments[1]?.stays).toEqual([
      { rule: 'log start offset', logStartOffset: 1n, isActive: true },
    ])
    // The cleaner makes the checks of a log that compacts.
    expect(explained.nextCheck).toEqual({ kind: 'scheduled', nextMs: START_MS + 15_000, intervalMs: 15_000 })
    expect(explained.cleaning).toMatchObject({
      kind: 'compacts',
      firstDirtyOffset: 1n,
      firstUncleanableOffset: 1n,
      cleanableBytes: 0,
      isDue: false,
    })
  })

  it('because somebody else made the log, unless settings of deletion are given', async () => {
    const { log, path, machine } = await opened()
    segmentsOf(log, START_MS - 100, START_MS - 100)
    await log.close()
    rmSync(join(path, 'partition-log.properties'))
    const { log: foreign } = await opened({}, { path, machine })
    const explained = foreign.explain()
    expect(rulesThatKeep(explained)).toEqual([['foreign log'], ['foreign log']])
    expect(explained).toMatchObject({ settings: { cleanupPolicy: null }, cleaning: { kind: 'not known' } })
    expect((await foreign.runRetention()).deletions).toEqual([])
    await foreign.close()
    const { log: given } = await opened({ retentionMs: 10 }, { path, machine })
    expect(given.explain().segments.map(({ goes }) => goes?.rule)).toEqual(['retention.ms', 'retention.ms'])
    expect((await given.runRetention()).deletions).toHaveLength(2)
  })

  it('by the time of its file, where no record has a timestamp', async () => {
    const { log, machine } = await opened({ retentionMs: 10_000 })
    log.append([{ value: 'v', timestamp: -1 }])
    machine.clock.advance(500)
    expect(log.explain().segments[0]).toMatchObject({
      largestTimestamp: -1n,
      modifiedMs: START_MS,
      expiresMs: START_MS + 10_000,
    })
    expect(log.explain().segments[0]?.stays.at(-1)).toMatchObject({ basedOn: 'file', ageMs: 500 })
  })
})

describe('the next check', () => {
  it('is the one that the background work will make', async () => {
    const { log, machine } = await opened({ retentionMs: 20_000, fileDeleteDelayMs: 10_000 })
    segmentsOf(log, START_MS - 19_000, START_MS - 15_000)
    const foretold = log.explain()
    expect(foretold.nextCheck).toEqual({ kind: 'scheduled', nextMs: START_MS + 2_000, intervalMs: 2_000 })
    expect(
      foretold.segments.map(({ goes, checkMs, filesRemovedMs }) => [goes?.rule, checkMs, filesRemovedMs]),
    ).toEqual([
      ['retention.ms', START_MS + 2_000, START_MS + 12_000],
      [undefined, START_MS + 6_000, START_MS + 16_000],
    ])
    machine.clock.advance(2_000)
    await checked(log)
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([1n])
    expect(log.explain().waiting).toEqual([
      { baseOffsets: [0n], sizeInBytes: foretold.segments[0]?.sizeInBytes, untilMs: START_MS + 12_000 },
    ])
    machine.clock.advance(2_000)
    await checked(log)
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([1n])
    machine.clock.advance(2_000)
    await checked(log)
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([2n])
  })

  it('is told as running, elsewhere, or never to come', async () => {
    const { log, machine, path } = await opened()
    machine.clock.advance(2_000)
    expect(log.explain().nextCheck).toEqual({ kind: 'scheduled', nextMs: null, intervalMs: 2_000 })
    await checked(log)
    await log.close()
    const { log: reader } = await opened({}, { path, machine, readOnly: true })
    expect(reader.explain().nextCheck).toEqual({ kind: 'elsewhere' })
    const manager = { retentionCheckIntervalMs: Number.POSITIVE_INFINITY }
    const { log: unchecked } = await opened({}, { path, machine, manager })
    expect(unchecked.explain().nextCheck).toEqual({ kind: 'never', because: 'no interval' })
  })

  it('for another time is the first from then on', async () => {
    const { log } = await opened({ retentionMs: 20_000 })
    segmentsOf(log, START_MS)
    const explained = log.explain({ nowMs: START_MS + 20_001 })
    expect(explained).toMatchObject({ nowMs: START_MS + 20_001, nextCheck: { nextMs: START_MS + 22_000 } })
    expect(explained.segments[0]).toMatchObject({ goes: { rule: 'retention.ms' }, stays: [] })
  })

  it('that is overdue comes at once', () => {
    const checks = { kind: 'scheduled', nextMs: 1_000, intervalMs: 500 } as const
    expect(nextCheckAt(checks, 1_200, 1_200)).toEqual({ ...checks, nextMs: 1_200 })
  })
})

describe('the next roll', () => {
  it('tells what is left, and why the next append would roll', async () => {
    const config = {
      segmentBytes: 1_048_576,
      segmentMs: 60_000,
      segmentIndexBytes: 24,
      indexIntervalBytes: 0,
    }
    const { log, machine } = await opened(config)
    expect(log.explain().roll).toMatchObject({ nextAppend: 'none', time: null, bytesLeft: 1_048_576 })
    log.append([{ value: 'v'.repeat(100), timestamp: START_MS - 10_000 }])
    const { sizeInBytes } = log.segments[0] as { sizeInBytes: number }
    expect(log.explain().roll).toEqual({
      baseOffset: 0n,
      nextAppend: 'none',
      segmentBytes: 1_048_576,
      bytesLeft: 1_048_576 - sizeInBytes,
      time: { countedBy: 'records', untilMs: START_MS + 50_000, leftMs: 50_000, jitterMs: 0 },
      offsetIndexEntriesLeft: 3,
      timeIndexEntriesLeft: 1,
      lastOffset: 2_147_483_647n,
    })
    machine.clock.advance(50_000)
    expect(log.explain().roll.nextAppend).toBe('none')
    expect(log.explain({ nowMs: START_MS + 50_001 }).roll.nextAppend).toBe('time')
    log.append([{ value: 'v', timestamp: START_MS }])
    expect(log.explain().roll).toMatchObject({ timeIndexEntriesLeft: 0, nextAppend: 'time-index-full' })
    log.append([{ value: 'v', timestamp: START_MS }])
    expect(log.segments).toHaveLength(2)
  })

  it('of a log that is only read counts with whole indexes, and without the owner’s jitter', async () => {
    const config = { segmentIndexBytes: 240, segmentJitterMs: 1_000, segmentMs: 60_000 }
    const { log, machine, path } = await opened(config)
    segmentsOf(log, START_MS)
    const { roll } = log.explain()
    for (const isClosed of [false, true]) {
      if (isClosed) await log.close()
      const { log: reader } = await opened({}, { path, machine, readOnly: true })
      const seen = reader.explain().roll
      expect(seen).toMatchObject({
        nextAppend: 'none',
        bytesLeft: roll.bytesLeft,
        offsetIndexEntriesLeft: 30,
      })
      expect(seen.time).toEqual({
        countedBy: 'records',
        untilMs: START_MS + 60_000,
        leftMs: 60_000,
        jitterMs: null,
      })
    }
    expect(roll.time?.jitterMs).toBeGreaterThan(0)
    expect(roll.time?.untilMs).toBe(START_MS + 60_000 - (roll.time?.jitterMs ?? 0))
  })
})

describe('an explanation', () => {
  it('changes nothing, and is plain data', async () => {
    const { log, path } = await opened({ retentionMs: 10, maxCompactionLagMs: '9223372036854775807' })
    segmentsOf(log, START_MS - 100, START_MS)
    const before = { files: readdirSync(path).sort(), offsets: log.offsets, segments: log.segments }
    const explained = log.explain()
    expect({ files: readdirSync(path).sort(), offsets: log.offsets, segments: log.segments }).toEqual(before)
    const json = JSON.parse(JSON.stringify(explained)) as Record<string, unknown>
    expect(json).toMatchObject({
      log: 'orders-0',
      logEndOffset: '2',
      segments: [
        { baseOffset: '0', largestTimestamp: String(START_MS - 100) },
        { stays: [{ logStartOffset: '0' }, {}] },
      ],
      roll: { lastOffset: '2147483648' },
    })
    expect(structuredClone(explained)).toEqual(explained)
  })

  it('is refused with a time that cannot be one, of a closed log, and with options that nobody knows', async () => {
    const { log } = await opened()
    expect(() => log.explain({ nowMs: 0.5 })).toThrow(RangeError)
    expect(() => log.explain({ nowms: 1 } as never)).toThrow(TypeError)
    await log.close()
    expect(() => log.explain()).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }))
  })
})

/** The check that has begun is over: the next one has its time again. */
async function checked(log: PartitionLog): Promise<void> {
  const isRunning = () => {
    const { nextCheck } = log.explain()
    return nextCheck.kind !== 'scheduled' || nextCheck.nextMs === null
  }
  while (isRunning()) await new Promise((resolve) => setImmediate(resolve))
}
