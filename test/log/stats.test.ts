/** log.stats() and manager.stats(): that each number counts what it says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { encodeBatch } from '../../lib/index.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { LogCounters } from '../../lib/log/stats-counters.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { rawBatch } from '../support/batches.js'
import { codeOf, errorFrom } from '../support/errors.js'
import { faultyMachine } from '../support/faulty-machine.js'
import { closeLater, collect, numbered, testLog } from '../support/log.js'
import { START_MS, type TestMachine, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const NO_ROLLS = {
  size: 0,
  time: 0,
  'offset-index-full': 0,
  'time-index-full': 0,
  'offset-overflow': 0,
  requested: 0,
  retention: 0,
}
const RECORD = { value: Buffer.alloc(100), timestamp: START_MS }
const BATCH = encodeBatch([RECORD]).length

const managers: LogManager[] = []

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close().catch(() => undefined)
})

async function logOn(machine: TestMachine, config: LogConfigInput = {}) {
  return closeLater(await openLogOn(machine, join(tempDir(), 'orders-0'), { config }))
}

describe('log.stats()', () => {
  test('of a new log', async () => {
    const log = await testLog()
    expect(log.stats()).toEqual({
      appends: 0,
      messagesIn: 0,
      bytesIn: 0,
      fetches: 0,
      bytesOut: 0,
      rolls: NO_ROLLS,
      logFlush: { count: 0, meanMs: null, p50Ms: null, p99Ms: null, maxMs: null },
      refusedAppends: {},
      appendStalls: 0,
      longestAppendStallMs: 0,
      lastRetentionCheckMs: null,
      numLogSegments: 1,
      openSegments: 1,
      sizeInBytes: 0,
      bytesPendingDeletion: 0,
      retentionSizeInPercent: 0,
      cleaning: null,
    })
  })

  test('is a plain object that survives JSON, and does not change afterwards', async () => {
    const log = await testLog()
    log.append([RECORD])
    expect(() => log.append([])).toThrow()
    const stats = log.stats()
    const before = structuredClone(stats)
    expect(JSON.parse(JSON.stringify(stats))).toEqual(stats)
    log.append([RECORD])
    expect(() => log.append([])).toThrow()
    log.roll()
    await log.flush()
    expect(stats).toEqual(before)
    expect(log.stats()).not.toEqual(before)
  })

  test('counts appends of every kind, their records and bytes', async () => {
    const log = await testLog()
    log.append(numbered(3))
    log.appendBatches(encodeBatch(numbered(2)), { origin: 'leader' })
    const bytes = Buffer.concat([5n, 1n << 33n].map((baseOffset) => encodeBatch(numbered(4), { baseOffset })))
    log.appendBatches(bytes, { origin: 'follower' })
    const appender = log.appender()
    await Promise.all(numbered(5).map((record) => appender.send(record)))
    await appender.close()
    const { appends, messagesIn, bytesIn, rolls, refusedAppends } = log.stats()
    expect({ appends, messagesIn, bytesIn }).toEqual({
      appends: 4,
      messagesIn: 3 + 2 + 4 + 4 + 5,
      bytesIn: log.segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
    })
    expect(rolls).toEqual({ ...NO_ROLLS, 'offset-overflow': 1 })
    expect(refusedAppends).toEqual({})
  })

  test('counts the batches of an old format', async () => {
    const log = await testLog()
    const bytes = Buffer.concat([rawBatch({ magic: 1 }), rawBatch({ magic: 1, baseOffset: 1n })])
    log.appendBatches(bytes, { origin: 'follower' })
    expect(log.stats()).toMatchObject({ appends: 1, messagesIn: 2, bytesIn: bytes.length })
  })

  test('counts what was appended where a later batch of the same call failed', async () => {
    const { machine, failAppend } = faultyMachine()
    const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0')))
    const batches = [0n, 1n << 33n].map((baseOffset) => encodeBatch([RECORD], { baseOffset }))
    failAppend(2, 'ENOSPC')
    const append = () => log.appendBatches(Buffer.concat(batches), { origin: 'follower' })
    expect(errorFrom(append).code).toBe('ERR_DISK_FULL')
    expect(log.stats()).toMatchObject({ appends: 0, messagesIn: 1, bytesIn: BATCH, sizeInBytes: BATCH })
    expect(log.stats().refusedAppends).toEqual({ ERR_DISK_FULL: 1 })
  })

  test('counts fetches and what they gave, of readers too', async () => {
    const log = await testLog()
    for (let n = 0; n < 4; n++) log.append([RECORD])
    await log.fetch(0n)
    log.fetchSync(2n)
    await log.fetch(4n)
    expect(log.stats()).toMatchObject({ fetches: 3, bytesOut: 6 * BATCH })
    await collect(log.read({ from: 1n, maxBytes: BATCH }))
    expect(log.stats()).toMatchObject({ fetches: 6, bytesOut: 9 * BATCH })
  })

  test('counts rolls by their reason', async () => {
    const machine = testMachine()
    const log = await logOn(machine, {
      internalSegmentBytes: 2 * BATCH,
      segmentMs: 1_000,
      retentionMs: 5_000,
    })
    for (let n = 0; n < 5; n++) log.append([RECORD])
    log.append([{ ...RECORD, timestamp: START_MS + 2_000 }])
    log.roll()
    log.append([RECORD])
    machine.clock.advance(10_000)
    await log.runRetention()
    expect(log.stats().rolls).toEqual({ ...NO_ROLLS, size: 2, time: 1, requested: 1, retention: 1 })
  })

  test('counts refusals by code, one for each call', async () => {
    const log = await testLog({ config: { maxMessageBytes: 500, compressionType: 'gzip' } })
    const refusals: (() => unknown)[] = [
      () => log.append([]),
      () => log.append('records' as never),
      () => log.append([RECORD], { expectedNextOffset: 7n }),
      () =>
        log.append([{ value: Buffer.from(Array.from({ length: 2_000 }, (_, n) => (n * n * 7_919) >> 3)) }]),
      () => log.appendBatches(encodeBatch([RECORD]).fill(1, 40, 60), { origin: 'leader' }),
      () => log.appendBatches(encodeBatch([{ value: 'x', timestamp: 1e14 }]), { origin: 'leader' }),
    ]
    const codes = refusals.map((refusal) => String(errorFrom(refusal).code))
    expect(codes).toEqual([
      'ERR_INVALID_BATCH',
      'ERR_INVALID_ARG_TYPE',
      'ERR_OFFSET_CONFLICT',
      'ERR_BATCH_TOO_LARGE',
      'ERR_INVALID_BATCH',
      'ERR_TIMESTAMP_OUT_OF_BOUNDS',
    ])
    expect(log.stats().refusedAppends).toEqual({
      ERR_INVALID_BATCH: 2,
      ERR_INVALID_ARG_TYPE: 1,
      ERR_OFFSET_CONFLICT: 1,
      ERR_BATCH_TOO_LARGE: 1,
      ERR_TIMESTAMP_OUT_OF_BOUNDS: 1,
    })
    const appender = log.appender()
    const big = { value: Buffer.from(Array.from({ length: 2_000 }, (_, n) => (n * n * 7_919) >> 3)) }
    expect(await codeOf(() => appender.send(big))).toBe('ERR_BATCH_TOO_LARGE')
    expect(log.stats().refusedAppends).toMatchObject({ ERR_BATCH_TOO_LARGE: 2 })
    expect(log.stats()).toMatchObject({ appends: 0, messagesIn: 0, bytesIn: 0 })
    // A leader's batch that is encoded anew, and refused when that is done.
    log.append([RECORD], { leaderEpoch: 5 })
    const outdated = () => log.appendBatches(encodeBatch([RECORD]), { origin: 'leader', leaderEpoch: 4 })
    expect(errorFrom(outdated).code).toBe('ERR_OUT_OF_RANGE')
    expect(log.stats().refusedAppends).toMatchObject({ ERR_OUT_OF_RANGE: 1 })
  })

  test('measures flushes, on a clock that nobody sets', async () => {
    const machine = testMachine()
    const log = await logOn(machine)
    await log.append([RECORD]).durable()
    expect(log.stats().logFlush).toEqual({ count: 1, meanMs: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 })
    const real = await testLog()
    for (let n = 0; n < 3; n++) await real.append([RECORD]).durable()
    const { count, meanMs, p50Ms, p99Ms, maxMs } = real.stats().logFlush
    expect(count).toBe(3)
    expect(p50Ms).toBeGreaterThan(0)
    expect(maxMs).toBeGreaterThanOrEqual(p99Ms ?? 0)
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms ?? 0)
    expect(meanMs).toBeLessThanOrEqual(maxMs ?? 0)
  })

  test('counts appends whose write took more than 10 ms, with the longest', async () => {
    const machine = testMachine()
    const real = machine.backend
    /** How long the next writes take. */
    const writes: number[] = []
    const slow = {
      ...machine,
      backend: {
        name: real.name,
        crc32c: real.crc32c.bind(real),
        records: real.records,
        openIndexFile: real.openIndexFile.bind(real),
        openLane: real.openLane.bind(real),
        lockDirectory: real.lockDirectory.bind(real),
        openLogFile(...args: Parameters<typeof real.openLogFile>) {
          const file = real.openLogFile(...args)
          const append = file.append.bind(file)
          file.append = (...request) => {
            append(...request)
            machine.clock.advance(writes.shift() ?? 0)
          }
          return file
        },
      },
    }
    const log = closeLater(await openLogOn(slow, join(tempDir(), 'orders-0')))
    writes.push(10, 11, 0, 250, 30)
    for (let n = 0; n < 6; n++) log.append([RECORD])
    expect(log.stats()).toMatchObject({ appends: 6, appendStalls: 3, longestAppendStallMs: 250 })
  })

  test('shows segments, their open files, and their size in percent of retention.bytes', async () => {
    const log = await testLog({ config: { internalSegmentBytes: 2 * BATCH, retentionBytes: 3 * BATCH + 1 } })
    const percent = () => log.stats().retentionSizeInPercent
    expect(percent()).toBe(0)
    log.append([RECORD])
    // 33.27 percent of three batches and a byte.
    expect(percent()).toBe(33)
    for (let n = 0; n < 4; n++) log.append([RECORD])
    expect(log.stats()).toMatchObject({ numLogSegments: 3, openSegments: 3, sizeInBytes: 5 * BATCH })
    expect(percent()).toBe(Math.floor((500 * BATCH) / (3 * BATCH + 1)))
    const { path } = log
    await log.close()
    const again = await testLog({ path })
    expect(again.stats()).toMatchObject({
      numLogSegments: 3,
      openSegments: 1,
      appends: 0,
      sizeInBytes: 5 * BATCH,
    })
    await collect(again.read({ from: 0n, maxRecords: 1 }))
    expect(again.stats()).toMatchObject({ openSegments: 2 })
  })

  test.each([-1, 0, Number.POSITIVE_INFINITY])(
    'is at 0 percent of retention.bytes=%d',
    async (retentionBytes) => {
      const log = await testLog({ config: { retentionBytes } })
      log.append([RECORD])
      expect(log.stats().retentionSizeInPercent).toBe(0)
    },
  )

  test('tells when retention last looked, and what waits to be removed', async () => {
    const machine = testMachine()
    const log = await logOn(machine, { internalSegmentBytes: BATCH, retentionBytes: BATCH })
    for (let n = 0; n < 3; n++) log.append([RECORD])
    machine.clock.advance(7)
    await log.runRetention()
    expect(log.stats()).toMatchObject({
      lastRetentionCheckMs: START_MS + 7,
      sizeInBytes: BATCH,
      bytesPendingDeletion: 2 * BATCH,
      numLogSegments: 1,
    })
    machine.clock.advance(60_000)
    while (log.stats().bytesPendingDeletion > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(log.stats().sizeInBytes).toBe(BATCH)
  })

  test('can be asked of a log that is only read, is offline, or closed', async () => {
    const { machine, failFlushes } = faultyMachine()
    const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0')))
    log.append([RECORD])
    const reader = await testLog({ path: log.path, readOnly: true })
    await collect(reader.read())
    expect(reader.stats()).toMatchObject({ sizeInBytes: BATCH, bytesOut: BATCH, bytesPendingDeletion: 0 })
    failFlushes('EIO')
    await log.flush().catch(() => undefined)
    expect(log.state).toBe('offline')
    expect(await codeOf(() => log.append([RECORD]))).toBe('ERR_OFFLINE')
    expect(log.stats()).toMatchObject({ appends: 1, refusedAppends: { ERR_OFFLINE: 1 } })
    await log.close()
    expect(log.stats()).toMatchObject({ appends: 1, openSegments: 0, bytesPendingDeletion: 0 })
  })
})

describe('manager.stats()', () => {
  async function managed(logDirs: string[], config: LogConfigInput = {}) {
    const machine = testMachine()
    const manager = await openLogManagerOn(machine, { logDirs, config })
    managers.push(manager)
    const create = (topic: string) => manager.createLog({ topic, partition: 0 })
    return { machine, manager, create }
  }

  test('sums up logs and directories', async () => {
    const paths = [tempDir(), tempDir()]
    const { manager, create, machine } = await managed(paths, { internalSegmentBytes: 2 * BATCH })
    const [a, b, c] = [await create('a'), await create('b'), await create('c')]
    for (const log of [a, a, a, b, c, c]) log.append([RECORD])
    await b.fetch(0n)
    machine.clock.advance(1)
    await a.flush()
    await a.runRetention()
    expect(manager.stats()).toMatchObject({
      logs: 3,
      offlineLogs: 0,
      uncleanableLogs: 0,
      offlineLogDirectoryCount: 0,
      appends: 6,
      messagesIn: 6,
      bytesIn: 6 * BATCH,
      fetches: 1,
      bytesOut: BATCH,
      rolls: { ...NO_ROLLS, size: 1 },
      numLogSegments: 4,
      openSegments: 4,
      sizeInBytes: 6 * BATCH,
      lastRetentionCheckMs: START_MS + 1,
    })
    expect(manager.stats().directories).toEqual([
      {
        path: paths[0],
        isOffline: false,
        logs: 2,
        offlineLogs: 0,
        uncleanableLogs: 0,
        numLogSegments: 3,
        openSegments: 3,
        sizeInBytes: 5 * BATCH,
        bytesPendingDeletion: 0,
        totalBytes: 5 * BATCH,
        maxTotalBytes: null,
        freeBytes: null,
        minFreeBytes: null,
      },
      expect.objectContaining({ path: paths[1], logs: 1, totalBytes: BATCH }),
    ])
    expect(JSON.parse(JSON.stringify(manager.stats()))).toEqual(manager.stats())
  })

  test('never falls: logs that were closed or deleted stay in the counters', async () => {
    const { manager, create } = await managed([tempDir()])
    const [a, b] = [await create('a'), await create('b')]
    for (const log of [a, b, b]) log.append([RECORD])
    expect(() => a.append([])).toThrow()
    await a.close()
    await manager.deleteLog({ topic: 'b', partition: 0 })
    await b.close()
    expect(manager.stats()).toMatchObject({
      logs: 0,
      appends: 3,
      bytesIn: 3 * BATCH,
      refusedAppends: { ERR_INVALID_BATCH: 1 },
      sizeInBytes: 0,
      bytesPendingDeletion: 2 * BATCH,
    })
    const again = await create('a')
    again.append([RECORD])
    expect(manager.stats()).toMatchObject({ logs: 1, appends: 4, sizeInBytes: 2 * BATCH })
  })

  test('shows logs and directories that are offline', async () => {
    const { machine, failFlushes } = faultyMachine()
    const [path, file] = [tempDir(), join(tempDir(), 'file')]
    writeFileSync(file, '')
    const before = await openLogManagerOn(machine, { logDirs: [path] })
    for (const topic of ['a', 'b']) await before.createLog({ topic, partition: 0 })
    await before.close()
    const manager = await openLogManagerOn(machine, { logDirs: [path, join(file, 'logs')] })
    managers.push(manager)
    expect(manager.stats()).toMatchObject({
      logs: 2,
      offlineLogs: 0,
      uncleanableLogs: 0,
      offlineLogDirectoryCount: 1,
    })
    const log = manager.logs()[0] as PartitionLog
    log.append([RECORD])
    failFlushes('EIO')
    await log.flush().catch(() => undefined)
    expect(manager.stats()).toMatchObject({
      logs: 2,
      offlineLogs: 1,
      uncleanableLogs: 0,
      offlineLogDirectoryCount: 1,
    })
  })
})

test('counters add up as if one had counted all', () => {
  const [one, other] = [new LogCounters(), new LogCounters()]
  one.wrote(2, 100)
  one.appended(5)
  one.rolled('size')
  one.refused({ code: 'ERR_NO_ROOM' })
  other.wrote(3, 50)
  other.appended(25)
  other.appended(15)
  other.rolled('size')
  other.rolled('none')
  other.refused({ code: 'ERR_NO_ROOM' })
  other.refused(new Error('no code'))
  other.lastRetentionCheckMs = 9
  one.add(other)
  expect(one).toMatchObject({
    appends: 3,
    messagesIn: 5,
    bytesIn: 150,
    appendStalls: 2,
    longestAppendStallMs: 25,
  })
  expect(one.rolls).toEqual({ ...NO_ROLLS, size: 2 })
  expect([...one.refusedAppends]).toEqual([
    ['ERR_NO_ROOM', 2],
    ['other', 1],
  ])
  expect(one.lastRetentionCheckMs).toBe(9)
})
