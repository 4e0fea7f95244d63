/** The room of a log directory: what is refused, what goes on all the same, and what counts. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeFiles } from '../../lib/backend/files.js'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { ManagerConfigInput } from '../../lib/config/manager-config.js'
import { encodeBatch } from '../../lib/index.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { closeLater, values } from '../support/log.js'
import { START_MS, type TestMachine, testMachine } from '../support/machine.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'

const RECORD = { value: Buffer.alloc(931, 'v'), timestamp: START_MS }
/** What a batch of one of these takes. */
const BATCH = encodeBatch([RECORD]).length
const orders = { topic: 'orders', partition: 0 }
const DELETE_DELAY_MS = 60_000

const managers: LogManager[] = []

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close().catch(() => undefined)
})

interface Setting {
  readonly path?: string
  readonly machine?: TestMachine
  readonly limits?: ManagerConfigInput
  readonly config?: LogConfigInput
}

/** Segments of four batches; retention takes what does not fit two of them. */
const SMALL = { internalSegmentBytes: 4 * BATCH, retentionBytes: 8 * BATCH, indexIntervalBytes: 0 }

async function managed({ path = tempDir(), machine = testMachine(), limits = {}, config = SMALL }: Setting) {
  const manager = await openLogManagerOn(machine, { logDirs: [path], manager: limits, config })
  managers.push(manager)
  const log = await manager.createLog(orders)
  return { manager, machine, path, log }
}

/** Free space as a test says, for `minFreeBytes`. */
function machineWithFree(freeBytes: { now: number }) {
  return { ...testMachine(), files: { ...nodeFiles, freeBytes: async () => freeBytes.now } }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Moves time on until all files that wait for it are removed, those that are deleted meanwhile in the background too. */
async function removalsDone({ manager, machine }: { manager: LogManager; machine: TestMachine }) {
  while (manager.stats().bytesPendingDeletion > 0) {
    machine.clock.advance(1_000)
    await settled()
  }
}

/** Bytes in `.log` files below a directory, whatever their ending. */
function bytesOnDisk(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^\d{20}\.log(\.deleted)?$/.test(entry.name))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

const totalOf = (manager: LogManager) => manager.stats().directories[0]?.totalBytes

function appendUntilRefused(log: PartitionLog): number {
  for (let count = 0; ; count++) {
    try {
      log.append([RECORD])
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_NO_ROOM' })
      return count
    }
  }
}

describe('maxTotalBytes', () => {
  test('refuses what would go beyond it, to the byte, and nothing is written', async () => {
    const { log, path } = await managed({ limits: { maxTotalBytes: 5 * BATCH } })
    for (let n = 0; n < 5; n++) log.append([RECORD])
    const before = [log.offsets.logEndOffset, log.segments.length, bytesOnDisk(path)]
    const error = errorFrom(() => log.append([{ value: '' }]))
    expect(error).toMatchObject({ code: 'ERR_NO_ROOM', path, expected: 5 * BATCH, actual: 5 * BATCH })
    expect(error.message).toBe(
      `no room for 68 bytes: the logs of ${path} take ${5 * BATCH}, and maxTotalBytes is ${5 * BATCH}; let retention or deleteLog ` +
        'take more (files count until they are removed, after file.delete.delay.ms), or raise maxTotalBytes',
    )
    expect([log.offsets.logEndOffset, log.segments.length, bytesOnDisk(path)]).toEqual(before)
    expect(log.state).toBe('open')
  })

  test('refuses the roll with the append that needs it', async () => {
    const { log, path } = await managed({ limits: { maxTotalBytes: 4 * BATCH } })
    for (let n = 0; n < 4; n++) log.append([RECORD])
    expect(appendUntilRefused(log)).toBe(0)
    expect(readdirSync(join(path, 'orders-0')).filter((name) => name.endsWith('.log'))).toHaveLength(1)
  })

  test('refuses every way of appending', async () => {
    const { log } = await managed({ limits: { maxTotalBytes: 2 * BATCH } })
    log.append([RECORD])
    log.append([RECORD])
    const leader = encodeBatch([RECORD])
    expect(await codeOf(() => log.append([RECORD]))).toBe('ERR_NO_ROOM')
    expect(await codeOf(() => log.appendBatches(leader, { origin: 'leader' }))).toBe('ERR_NO_ROOM')
    const follower = encodeBatch([RECORD], { baseOffset: 2 })
    expect(await codeOf(() => log.appendBatches(follower, { origin: 'follower' }))).toBe('ERR_NO_ROOM')
    const appender = log.appender()
    const sends = [appender.send(RECORD), appender.send(RECORD)]
    expect(await Promise.all(sends.map((send) => codeOf(() => send)))).toEqual(['ERR_NO_ROOM', 'ERR_NO_ROOM'])
    await appender.close()
    expect(log.offsets.logEndOffset).toBe(2n)
    expect(log.stats().refusedAppends).toEqual({ ERR_NO_ROOM: 4 })
  })

  test('takes all of a follower’s batches or none, also where they go to several segments', async () => {
    const { log } = await managed({ limits: { maxTotalBytes: 3 * BATCH } })
    const bytes = Buffer.concat(
      [0n, 1n << 32n, 1n << 33n, 1n << 34n].map((baseOffset) => encodeBatch([RECORD], { baseOffset })),
    )
    expect(await codeOf(() => log.appendBatches(bytes, { origin: 'follower' }))).toBe('ERR_NO_ROOM')
    expect(log.offsets.logEndOffset).toBe(0n)
    log.appendBatches(bytes.subarray(0, 3 * BATCH), { origin: 'follower' })
    expect(log.segments).toHaveLength(3)
  })

  test('everything else goes on, and appends do when the files that retention took are removed', async () => {
    const setting = await managed({ limits: { maxTotalBytes: 16 * BATCH } })
    const { log, manager, machine } = setting
    expect(appendUntilRefused(log)).toBe(16)
    expect(await values(log.read())).toHaveLength(16)
    await log.flush()
    await manager.checkpoint()
    log.roll()
    expect(await log.deleteRecordsBefore(1n)).toBe(1n)
    expect([...(await manager.runRetention()).keys()]).toEqual(['orders-0'])
    expect(log.stats()).toMatchObject({ sizeInBytes: 8 * BATCH, bytesPendingDeletion: 8 * BATCH })
    expect(appendUntilRefused(log)).toBe(0)
    machine.clock.advance(DELETE_DELAY_MS - 1)
    await settled()
    expect(appendUntilRefused(log)).toBe(0)
    await removalsDone(setting)
    expect(appendUntilRefused(log)).toBe(8)
  })

  test('a truncation gives room at once', async () => {
    const { log } = await managed({ limits: { maxTotalBytes: 4 * BATCH } })
    expect(appendUntilRefused(log)).toBe(4)
    await log.truncateTo(1n)
    expect(appendUntilRefused(log)).toBe(3)
  })

  test('a file that waits for its removal and is replaced by another of the same segment counts no more', async () => {
    const setting = await managed({ limits: { maxTotalBytes: 16 * BATCH } })
    const { log, manager, path } = setting
    const rounds = async (amount: number) => {
      for (let n = 0; n < amount; n++) log.append([RECORD])
      log.roll()
      await log.truncateTo(0n)
    }
    await rounds(7)
    expect(totalOf(manager)).toBe(bytesOnDisk(path))
    await rounds(5)
    expect(totalOf(manager)).toBe(BATCH)
    expect(bytesOnDisk(path)).toBe(BATCH)
    expect(log.explain().waiting.map(({ sizeInBytes }) => sizeInBytes)).toEqual([0, BATCH])
    await removalsDone(setting)
    expect(bytesOnDisk(path)).toBe(0)
    expect(totalOf(manager)).toBe(0)
  })

  test('counts all logs of a directory, and none of another', async () => {
    const paths = [tempDir(), tempDir()]
    const manager = await openLogManagerOn(testMachine(), {
      logDirs: paths,
      manager: { maxTotalBytes: 6 * BATCH },
      config: SMALL,
    })
    managers.push(manager)
    const logs: PartitionLog[] = []
    for (let partition = 0; partition < 4; partition++)
      logs.push(await manager.createLog({ topic: 'orders', partition }))
    const groups = paths.map((path) => logs.filter((log) => dirname(log.path) === path))
    expect(groups.map((group) => group.length)).toEqual([2, 2])
    const [[a, b], [c, d]] = groups as [[PartitionLog, PartitionLog], [PartitionLog, PartitionLog]]
    for (let n = 0; n < 5; n++) a.append([RECORD])
    expect(appendUntilRefused(b)).toBe(1)
    expect(appendUntilRefused(a)).toBe(0)
    expect(appendUntilRefused(c)).toBe(6)
    expect(appendUntilRefused(d)).toBe(0)
  })

  test('a deleted log counts until its files are removed', async () => {
    const setting = await managed({ limits: { maxTotalBytes: 16 * BATCH } })
    const { log, manager } = setting
    expect(appendUntilRefused(log)).toBe(16)
    await manager.runRetention()
    await manager.deleteLog(orders)
    const other = await manager.createLog({ topic: 'other', partition: 0 })
    expect(appendUntilRefused(other)).toBe(0)
    expect(manager.stats()).toMatchObject({ sizeInBytes: 0, bytesPendingDeletion: 16 * BATCH })
    await removalsDone(setting)
    expect(appendUntilRefused(other)).toBe(16)
  })

  test('counts what is found when a directory is opened, and refuses until there is less', async () => {
    const first = await managed({})
    for (let n = 0; n < 12; n++) first.log.append([RECORD])
    await first.manager.close()
    const again = await managed({ path: first.path, limits: { maxTotalBytes: 10 * BATCH } })
    expect(appendUntilRefused(again.log)).toBe(0)
    expect(await values(again.log.read())).toHaveLength(12)
    await again.manager.runRetention()
    await removalsDone(again)
    expect(appendUntilRefused(again.log)).toBe(2)
  })

  test('openLog: counts the logs that this process has open in the directory, each with its own limit', async () => {
    const path = tempDir()
    const open = async (name: string, maxTotalBytes: number) =>
      closeLater(await openLogOn(testMachine(), join(path, name), { manager: { maxTotalBytes } }))
    const orders = await open('orders-0', 5 * BATCH)
    const clicks = await open('clicks-0', 8 * BATCH)
    expect(appendUntilRefused(orders)).toBe(5)
    expect(appendUntilRefused(clicks)).toBe(3)
    await orders.close()
    expect(appendUntilRefused(clicks)).toBe(5)
    await clicks.close()
  })
})

describe('what is counted', () => {
  /** `amount`: of records, or how far through the log in percent. */
  type Step =
    | { kind: 'append' | 'truncate' | 'delete records'; log: number; amount: number }
    | { kind: 'roll' | 'create' | 'delete log'; log: number }
    | { kind: 'retention' | 'removals' | 'reopen' }

  const which = fc.nat(1)
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('append' as const), log: which, amount: fc.nat(6) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('truncate' as const, 'delete records' as const),
          log: which,
          amount: fc.nat(100),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('roll' as const, 'create' as const, 'delete log' as const),
          log: which,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('retention' as const, 'removals' as const, 'reopen' as const),
        }),
      },
    ),
    { minLength: 10, maxLength: 25 },
  )

  async function run(step: Step, { manager, machine }: { manager: LogManager; machine: TestMachine }) {
    const topicPartition = { topic: 'orders', partition: 'log' in step ? step.log : 0 }
    const log = manager.getLog(topicPartition)
    if (step.kind === 'create') await manager.createLog(topicPartition)
    else if (step.kind === 'retention') await manager.runRetention()
    else if (step.kind === 'removals') await removalsDone({ manager, machine })
    else if (step.kind === 'delete log') await manager.deleteLog(topicPartition)
    else if (log === undefined) return
    else if (step.kind === 'roll') log.roll()
    else if (step.kind === 'append') for (let n = 0; n < step.amount; n++) log.append([RECORD])
    else if (step.kind === 'truncate' || step.kind === 'delete records') {
      const { logStartOffset: start, logEndOffset: end } = log.offsets
      const offset = start + ((end - start) * BigInt(step.amount)) / 100n
      await (step.kind === 'truncate' ? log.truncateTo(offset) : log.deleteRecordsBefore(offset))
    }
  }

  test('is what lies in the .log files, at any time', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (all, preallocate) => {
        let setting = await managed({ config: { ...SMALL, preallocate } })
        for (const step of all) {
          if (step.kind === 'reopen') {
            await setting.manager.close()
            setting = await managed({ path: setting.path, config: { ...SMALL, preallocate } })
            setting.machine.clock.advance(0)
            while (readdirSync(setting.path).some((name) => name.endsWith('-delete'))) await settled()
          } else await run(step, setting)
          const { sizeInBytes, bytesPendingDeletion } = setting.manager.stats()
          expect(totalOf(setting.manager)).toBe(sizeInBytes + bytesPendingDeletion)
          // A preallocated file is longer than its records.
          if (!preallocate) expect(totalOf(setting.manager)).toBe(bytesOnDisk(setting.path))
        }
        await setting.manager.close()
      }),
      fcOptions(12),
    )
  })
})

describe('minFreeBytes', () => {
  test('refuses appends where less would be free, and lets everything else go on', async () => {
    const free = { now: 5 * BATCH }
    const setting = await managed({
      machine: machineWithFree(free),
      limits: { minFreeBytes: 2 * BATCH },
      config: { ...SMALL, retentionBytes: BATCH },
    })
    const { log, manager, path, machine } = setting
    expect(appendUntilRefused(log)).toBe(3)
    expect(errorFrom(() => log.append([RECORD]))).toMatchObject({
      path,
      expected: 2 * BATCH,
      actual: 2 * BATCH,
    })
    expect(manager.stats().directories).toMatchObject([{ freeBytes: 2 * BATCH, minFreeBytes: 2 * BATCH }])
    expect(await values(log.read())).toHaveLength(3)
    log.roll()
    await log.flush()
    await manager.checkpoint()
    await manager.runRetention()
    free.now = 6 * BATCH
    machine.clock.advance(1_000)
    await settled()
    expect(appendUntilRefused(log)).toBe(4)
  })

  test('a roll of preallocated segments takes its room before there are records in it', async () => {
    const free = { now: 7 * BATCH }
    const config = { ...SMALL, preallocate: true }
    const { log } = await managed({ machine: machineWithFree(free), limits: { minFreeBytes: BATCH }, config })
    // The first segment was there when it was measured.
    for (let n = 0; n < 4; n++) log.append([RECORD])
    expect(appendUntilRefused(log)).toBe(0)
    expect(log.segments).toHaveLength(1)
    const { log: other } = await managed({
      machine: machineWithFree({ now: 10 * BATCH }),
      limits: { minFreeBytes: BATCH },
      config,
    })
    expect(appendUntilRefused(other)).toBe(5)
  })

  test('a directory whose volume cannot be measured is not opened', async () => {
    const machine = testMachine()
    const broken = {
      ...machine,
      files: {
        ...machine.files,
        freeBytes: (path: string) => nodeFiles.freeBytes(join(path, 'not', 'there')),
      },
    }
    const [good, bad] = [tempDir(), join(tempDir(), 'bad')]
    const options = { logDirs: [bad], manager: { minFreeBytes: 1 } }
    expect(await rejection(() => openLogManagerOn(broken, options))).toMatchObject({
      code: 'ERR_IO',
      syscall: 'statfs',
    })
    const openBroken = () => openLogOn(broken, join(good, 'orders-0'), { manager: { minFreeBytes: 1 } })
    expect(await codeOf(openBroken)).toBe('ERR_IO')
    // Nothing is locked, or called unclean, by that.
    closeLater(await openLogOn(machine, join(good, 'orders-0')))
    await (await openLogManagerOn(machine, { logDirs: [bad] })).close()
  })

  test('openLog: is kept, and measured no more after the close', async () => {
    const free = { now: 5 * BATCH }
    const machine = machineWithFree(free)
    const path = join(tempDir(), 'orders-0')
    const log = closeLater(await openLogOn(machine, path, { manager: { minFreeBytes: 2 * BATCH } }))
    expect(appendUntilRefused(log)).toBe(3)
    free.now = 4 * BATCH
    machine.clock.advance(1_000)
    await settled()
    expect(appendUntilRefused(log)).toBe(2)
    await log.close()
    expect(basename(path)).toBe('orders-0')
  })

  test('the real volume is measured', async () => {
    const { log, manager, machine } = await managed({ limits: { minFreeBytes: 1 } })
    log.append([RECORD])
    const { freeBytes } = manager.stats().directories[0] ?? {}
    expect(freeBytes).toBeGreaterThan(BATCH)
    const full = await managed({ machine, limits: { minFreeBytes: Number.MAX_SAFE_INTEGER } })
    const { path } = full
    expect(errorFrom(() => full.log.append([RECORD]))).toMatchObject({ code: 'ERR_NO_ROOM', path })
  })
})
