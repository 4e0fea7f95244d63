import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeFiles } from '../../lib/backend/files.js'
import { systemClock } from '../../lib/base/clock.js'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { backendUnderTest } from '../support/backend.js'
import { closeLater, numbered, testLog, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const reasons: string[] = []
const note = (message: unknown) => reasons.push((message as { reason: string }).reason)

beforeEach(() => subscribe('partition-log:roll', note))

afterEach(() => {
  unsubscribe('partition-log:roll', note)
  reasons.length = 0
})

/** A log whose clock and jitter the test sets; the reasons of its rolls are collected. */
async function clockedLog(config: LogConfigInput, jitterMs = 0) {
  const now = { ms: 1_000_000 }
  const machine = {
    files: nodeFiles,
    backend: backendUnderTest(),
    clock: { ...systemClock, nowMs: () => now.ms },
    entropy: { below: () => jitterMs, bytes: (count: number) => Buffer.alloc(count, 7) },
  }
  const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0'), { config }))
  return { log, now }
}

const at = (timestamp: number) => [{ key: 'k', value: 'v', timestamp }]

describe('a segment rolls', () => {
  test('when the batch would not fit, and never grows beyond segment.bytes', async () => {
    const { log } = await clockedLog({ internalSegmentBytes: 300 })
    for (let n = 0; n < 12; n++) log.append(numbered(1, n))
    expect(log.segments.length).toBeGreaterThan(2)
    expect(log.segments.every(({ sizeInBytes }) => sizeInBytes <= 300)).toBe(true)
    expect(new Set(reasons)).toEqual(new Set(['size']))
  })

  test('when a batch’s time lies more than segment.ms behind the first batch’s, by their own clock', async () => {
    const { log, now } = await clockedLog({ segmentMs: 1_000 })
    log.append(at(5_000))
    now.ms += 1_000_000
    log.append(at(6_000))
    expect(reasons).toEqual([])
    log.append(at(6_001))
    expect(reasons).toEqual(['time'])
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 2n])
  })

  test('by the first batch’s largest time, wherever it stands in the batch', async () => {
    const { log } = await clockedLog({ segmentMs: 1_000 })
    log.append([...at(100), ...at(9_000), ...at(200)])
    log.append(at(10_000))
    log.append(at(10_001))
    expect(reasons).toEqual(['time'])
  })

  test('by the segment’s age where records carry no time', async () => {
    const { log, now } = await clockedLog({ segmentMs: 1_000 })
    log.append(at(-1))
    now.ms += 1_000
    log.append(at(-1))
    expect(reasons).toEqual([])
    now.ms += 1
    log.append(at(-1))
    expect(reasons).toEqual(['time'])
  })

  test('earlier by its jitter', async () => {
    const { log } = await clockedLog({ segmentMs: 1_000, segmentJitterMs: 500 }, 400)
    log.append(at(5_000))
    log.append(at(5_600))
    log.append(at(5_601))
    expect(reasons).toEqual(['time'])
  })

  test('early enough for max.compaction.lag.ms where the policy compacts', async () => {
    const { log } = await clockedLog({
      segmentMs: 10_000,
      maxCompactionLagMs: 100,
      cleanupPolicy: ['compact'],
    })
    log.append(at(5_000))
    log.append(at(5_101))
    expect(reasons).toEqual(['time'])
  })

  test('when an index is full', async () => {
    const byOffset = await clockedLog({ segmentIndexBytes: 36, indexIntervalBytes: 0 })
    for (let n = 0; n < 6; n++) byOffset.log.append(at(7))
    expect(reasons).toEqual(['offset-index-full'])
    reasons.length = 0
    const byTime = await clockedLog({ segmentIndexBytes: 36, indexIntervalBytes: 0 })
    for (let n = 0; n < 6; n++) byTime.log.append(at(n))
    expect(reasons).toEqual(['time-index-full'])
  })

  test('when the offset no longer fits beside the base offset', async () => {
    const { log } = await clockedLog({})
    log.append(at(1))
    log.appendBatches(encodeBatch(at(1), { baseOffset: 2n ** 31n - 1n }), { origin: 'follower' })
    expect(reasons).toEqual([])
    log.appendBatches(encodeBatch(at(1), { baseOffset: 2n ** 31n }), { origin: 'follower' })
    expect(reasons).toEqual(['offset-overflow'])
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, 2n ** 31n])
  })
})

describe('a roll', () => {
  test('trims the indexes of the old segment and writes its last time entry', async () => {
    const log = await testLog()
    log.append(numbered(3))
    log.roll()
    const [old, active] = log.segments
    expect(old).toMatchObject({ offsetIndexBytes: 0, timeIndexBytes: 12, timeIndexEntries: 1, active: false })
    expect(active).toMatchObject({ baseOffset: 3n, offsetIndexBytes: 10_485_760, timeIndexBytes: 10_485_756 })
  })

  test('of an empty active segment makes it anew', async () => {
    const log = await testLog()
    for (let n = 0; n < 3; n++) expect(log.roll()).toBe(0n)
    log.append(numbered(1))
    expect(log.segments).toHaveLength(1)
    expect(await values(log.read())).toEqual(['v0'])
  })

  test('takes a leftover file of the new name for what it is', async () => {
    const log = await testLog()
    log.append(numbered(2))
    writeFileSync(join(log.path, '00000000000000000002.log'), 'left over from a roll that failed half way')
    log.roll()
    log.append(numbered(1, 2))
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2'])
  })
})

test('preallocate gives an active segment its full length, and close takes it back', async () => {
  const log = await testLog({ config: { internalSegmentBytes: 5_000, preallocate: true } })
  log.append(numbered(3))
  const size = () => statSync(join(log.path, '00000000000000000000.log')).size
  expect(size()).toBe(5_000)
  expect(await values(log.read())).toEqual(['v0', 'v1', 'v2'])
  const { sizeInBytes } = log.segments[0] as { sizeInBytes: number }
  await log.close()
  expect(size()).toBe(sizeInBytes)
  expect(readdirSync(log.path)).toContain('00000000000000000000.timeindex')
  const again = await testLog({ path: log.path })
  expect(await values(again.read())).toEqual(['v0', 'v1', 'v2'])
})
