/** A disk that is really full, under a manager: what goes on, and that retention gets it going again. */
import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { codeOf } from '../support/errors.js'
import { values } from '../support/log.js'
import { START_MS, testMachine } from '../support/machine.js'
import { smallDisk } from '../support/small-disk.js'

const PAGE = 4_096
const MARKER = '.kafka_cleanshutdown'
const orders = { topic: 'orders', partition: 0 }
const clicks = { topic: 'clicks', partition: 0 }

const managers: LogManager[] = []

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close().catch(() => undefined)
})

/** Values of half a page each, so that few appends fill a disk. */
const textOf = (n: number) => `v${n}-${'x'.repeat(2_000)}`
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const probe = smallDisk(64 << 10)
if (probe === undefined) console.warn('full disks are not tested: no tmpfs can be mounted here')

/** Segments of two pages; retention keeps about two of them. */
const SMALL: LogConfigInput = {
  internalSegmentBytes: 2 * PAGE,
  retentionBytes: 4 * PAGE,
  indexIntervalBytes: 0,
}

describe.skipIf(probe === undefined)('a manager on a disk that is full', () => {
  async function onSmallDisk(config: LogConfigInput = SMALL) {
    const path = smallDisk(64 * PAGE) ?? expect.fail('no second tmpfs')
    const machine = testMachine()
    const offline: string[] = []
    const errors: string[] = []
    const nothing = () => undefined
    const logger = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: (_: object, text: string) => void errors.push(text),
    }
    const manager = await openLogManagerOn(machine, {
      logDirs: [path],
      config,
      logger,
      onOffline: ({ message }) => void offline.push(message),
    })
    managers.push(manager)
    const filler = join(path, 'filler')
    return {
      path,
      machine,
      manager,
      offline,
      errors,
      log: await manager.createLog(orders),
      /** Takes all space but `pages`. */
      fill(pages = 0) {
        const { bavail, bsize } = statfsSync(path)
        writeFileSync(filler, Buffer.alloc((bavail - pages) * bsize))
      },
      free: () => rmSync(filler),
    }
  }

  function append(log: PartitionLog): void {
    log.append([{ value: textOf(Number(log.offsets.logEndOffset)), timestamp: START_MS }])
  }

  function appendUntilFull(log: PartitionLog): number {
    for (;;) {
      try {
        append(log)
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_DISK_FULL' })
        return Number(log.offsets.logEndOffset)
      }
    }
  }

  async function expectRecords(log: PartitionLog, from: number, to: number): Promise<void> {
    expect(await values(log.read())).toEqual(Array.from({ length: to - from }, (_, n) => textOf(from + n)))
  }

  /** Closed cleanly, and everything there when it is opened again. */
  async function expectCleanEnd(manager: LogManager, path: string, from: number, to: number): Promise<void> {
    await manager.close()
    expect(existsSync(join(path, MARKER))).toBe(true)
    const again = await openLogManagerOn(testMachine(), { logDirs: [path] })
    managers.push(again)
    const log = again.getLog(orders) as PartitionLog
    await expectRecords(log, from, to)
    expect(log.offsets.logStartOffset).toBe(BigInt(from))
  }

  test('refuses appends alone, and takes them again when retention has made room', async () => {
    const { manager, machine, log, path, offline } = await onSmallDisk()
    const full = appendUntilFull(log)
    for (let n = 0; n < 3; n++) expect(appendUntilFull(log)).toBe(full)
    expect(log.stats().refusedAppends).toEqual({ ERR_DISK_FULL: 4 })
    await expectRecords(log, 0, full)
    const results = await manager.runRetention()
    const start = Number(results.get('orders-0')?.logStartOffset)
    expect(start).toBeGreaterThan(full / 2)
    await expectRecords(log, start, full)
    expect(appendUntilFull(log)).toBe(full)
    machine.clock.advance(60_000)
    while (manager.stats().bytesPendingDeletion > 0) await settled()
    for (let n = 0; n < 8; n++) append(log)
    await log.flush()
    expect(offline).toEqual([])
    await expectCleanEnd(manager, path, start, full + 8)
  })

  test('retention takes all segments that are due though none can be made for the next record', async () => {
    const { manager, machine, log, fill, path } = await onSmallDisk({
      ...SMALL,
      retentionBytes: -1,
      retentionMs: 1_000,
    })
    for (let n = 0; n < 10; n++) append(log)
    fill()
    appendUntilFull(log)
    const end = Number(log.offsets.logEndOffset)
    machine.clock.advance(2_000)
    await manager.runRetention()
    machine.clock.advance(60_000)
    while (manager.stats().bytesPendingDeletion > 0) await settled()
    append(log)
    const start = Number(log.offsets.logStartOffset)
    expect(start).toBeGreaterThan(5)
    await expectRecords(log, start, end + 1)
    await expectCleanEnd(manager, path, start, end + 1)
  })

  test('a checkpoint that finds no space is refused, and written when there is some', async () => {
    const { manager, log, fill, free, path, offline } = await onSmallDisk()
    append(log)
    await log.flush()
    fill()
    for (let n = 0; n < 2; n++) expect(await codeOf(() => manager.checkpoint())).toBe('ERR_DISK_FULL')
    expect(log.state).toBe('open')
    free()
    append(log)
    await log.flush()
    await manager.checkpoint()
    const saved = readFileSync(join(path, 'recovery-point-offset-checkpoint'), 'utf8')
    expect(saved).toBe('0\n1\norders 0 2\n')
    expect(offline).toEqual([])
    await expectCleanEnd(manager, path, 0, 2)
  })

  test('the work in the background goes on, and catches up', async () => {
    const { manager, machine, log, path, offline, errors } = await onSmallDisk()
    const full = appendUntilFull(log)
    /** Time goes by, and tasks run as they come due, until `condition` holds. */
    const passUntil = async (condition: () => boolean) => {
      while (!condition()) {
        machine.clock.advance(1_000)
        await settled()
      }
    }
    const failed = () => errors.some((text) => text.startsWith('the task high-watermark-checkpoint failed'))
    await passUntil(failed)
    await passUntil(() => log.offsets.logStartOffset > 0n)
    await passUntil(() => manager.stats().bytesPendingDeletion > 0)
    await passUntil(() => manager.stats().bytesPendingDeletion === 0)
    append(log)
    const saved = () => readFileSync(join(path, 'replication-offset-checkpoint'), 'utf8')
    await passUntil(() => existsSync(join(path, 'replication-offset-checkpoint')))
    await passUntil(() => saved() === `0\n1\norders 0 ${full + 1}\n`)
    expect(offline).toEqual([])
    expect(log.state).toBe('open')
    // A check that found no space for a new segment left the active one; a later one may have taken that too.
    await expectCleanEnd(manager, path, Number(log.offsets.logStartOffset), full + 1)
  })

  test('a close that finds no space is refused, and clean when there is some', async () => {
    const { manager, log, fill, free, path, offline } = await onSmallDisk()
    const other = await manager.createLog(clicks)
    for (let n = 0; n < 3; n++) append(log)
    await log.flush()
    append(log)
    append(other)
    fill()
    for (let n = 0; n < 2; n++) expect(await codeOf(() => manager.close())).toBe('ERR_DISK_FULL')
    expect(existsSync(join(path, MARKER))).toBe(false)
    expect(manager.logs().length).toBeGreaterThan(0)
    await expectRecords(manager.getLog(clicks) as PartitionLog, 0, 1)
    free()
    append(manager.getLog(clicks) as PartitionLog)
    await expectCleanEnd(manager, path, 0, 4)
    await expectRecords(managers.at(-1)?.getLog(clicks) as PartitionLog, 0, 2)
    expect(offline).toEqual([])
  })

  test('a log is deleted, and one of its name begins at 0 later', async () => {
    const { manager, machine, log, fill, path, offline } = await onSmallDisk()
    const other = await manager.createLog(clicks)
    for (let n = 0; n < 12; n++) append(other)
    append(log)
    await manager.runRetention()
    await other.flush()
    await manager.checkpoint()
    expect(readFileSync(join(path, 'log-start-offset-checkpoint'), 'utf8')).toBe('0\n0\n')
    await other.deleteRecordsBefore(other.offsets.logStartOffset + 1n)
    fill()
    appendUntilFull(log)
    expect(await manager.deleteLog(clicks)).toBe(true)
    expect(manager.getLog(clicks)).toBe(undefined)
    expect(readdirSync(path).some((name) => /^clicks-0\.[0-9a-f]{32}-delete$/.test(name))).toBe(true)
    expect(offline).toEqual([])
    expect(await codeOf(() => manager.createLog(clicks))).toBe('ERR_DISK_FULL')
    machine.clock.advance(60_000)
    while (manager.stats().bytesPendingDeletion > 0) await settled()
    const again = await manager.createLog(clicks)
    expect(again.offsets).toMatchObject({ logStartOffset: 0n, logEndOffset: 0n })
    append(log)
    const end = Number(log.offsets.logEndOffset)
    await expectCleanEnd(manager, path, 0, end)
  })
})
