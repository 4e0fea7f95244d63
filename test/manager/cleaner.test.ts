/** The cleaner behind open logs: when it looks, what it takes, what it tells, and what becomes of a log that cannot be cleaned. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Logger } from '../../lib/base/logger.js'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { ManagerConfigInput } from '../../lib/config/manager-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { rejection } from '../support/errors.js'
import { closeLater, collect } from '../support/log.js'
import { START_MS, type TestMachine, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const COMPACT: LogConfigInput = { cleanupPolicy: ['compact'], minCleanableDirtyRatio: 0.01 }
const users = { topic: 'users', partition: 0 }
const NAME = '00000000000000000000'
const managers: LogManager[] = []

afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.close().catch(() => undefined)
})

interface Setting {
  readonly path?: string
  readonly machine?: TestMachine
  readonly config?: LogConfigInput
  readonly manager?: ManagerConfigInput
}

async function managed({
  path = tempDir(),
  machine = testMachine(),
  config = COMPACT,
  manager = {},
}: Setting = {}) {
  const lines: string[] = []
  const tell = (_: object, text: string) => void lines.push(text)
  const logger: Logger = { debug: () => undefined, info: tell, warn: tell, error: tell }
  const opened = await openLogManagerOn(machine, { logDirs: [path], config, manager, logger })
  managers.push(opened)
  return { manager: opened, log: await opened.createLog(users), path, machine, lines }
}

/** `key:value`, a tombstone without a value; a batch. */
function put(log: PartitionLog, ...pairs: string[]): void {
  log.append(
    pairs.map((pair) => {
      const [key, value] = pair.split(':')
      return { key: key as string, value: value ?? null, timestamp: START_MS }
    }),
  )
}

async function pairs(log: PartitionLog): Promise<string[]> {
  const records = await collect(log.read({ from: 'earliest' }))
  return records.map(({ offset, key, value }) => `${offset} ${key}${value === null ? '' : `:${value}`}`)
}

const checkpoint = (path: string) => readFileSync(join(path, 'cleaner-offset-checkpoint'), 'utf8')

/** Until `is`, letting the event loop turn; never by the clock. */
async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Damages the records of the first batch of a segment. */
function damage(path: string): void {
  const file = join(path, 'users-0', `${NAME}.log`)
  const bytes = readFileSync(file)
  bytes[70] = (bytes[70] as number) ^ 0xff
  writeFileSync(file, bytes)
}

test('Example 3 of the article: what is kept, how large it is, what is told, how far it is clean', async () => {
  const { manager, log, path, lines } = await managed({ config: { ...COMPACT, segmentMs: 5_000 } })
  put(
    log,
    'user1:a1',
    'user2:b1',
    'user3:c1',
    'user1:a2',
    'user2:b2',
    'user3:c2',
    'user1:a3',
    'user2:b3',
    'user3:c3',
    'user2',
  )
  log.append([{ key: 'user4', value: 'd1', timestamp: START_MS + 6_000 }])
  expect(log.segmentSizes[0]).toMatchObject({ baseOffset: 0n, sizeInBytes: 199 })
  lines.length = 0
  const report = (await manager.runCleaner()).get('users-0')
  expect(report).toMatchObject({
    firstDirtyOffset: 0n,
    endOffset: 10n,
    recordsRead: 10,
    recordsWritten: 3,
    bytesWritten: 110,
    keys: 3,
  })
  expect(log.segmentSizes[0]).toMatchObject({ baseOffset: 0n, sizeInBytes: 110 })
  expect(await pairs(log)).toEqual(['6 user1:a3', '8 user3:c3', '9 user2', '10 user4:d1'])
  expect(checkpoint(path)).toBe('0\n1\nusers 0 10\n')
  expect(
    lines.map((line) =>
      line
        .replace(/^Cleaner \d+/, 'Cleaner N')
        .replace(/[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \S+ UTC 20\d\d/, 'NOW'),
    ),
  ).toEqual([
    'Cleaner N: Beginning cleaning of log users-0',
    'Cleaner N: Building offset map for log users-0 for 1 segments in offset range [0, 10).',
    'Cleaner N: Cleaning log users-0 (cleaning prior to NOW, discarding tombstones prior to upper bound deletion horizon Thu Jan 01 00:00:00 UTC 1970)...',
    'Cleaner N: Swapping in cleaned segment(s) [LogSegment(baseOffset=0, size=110)] for segment(s) [LogSegment(baseOffset=0, size=199)] in log users-0',
  ])
})

describe('in the background', () => {
  test('a cleaner looks every log.cleaner.backoff.ms, and takes what is due', async () => {
    const { log, machine, path } = await managed({ manager: { cleanerBackoffMs: 1_000 } })
    put(log, 'a:1', 'b:1', 'a:2')
    log.roll()
    expect(log.explain().cleaning).toMatchObject({
      kind: 'compacts',
      isDue: true,
      cleaner: { kind: 'scheduled', nextMs: START_MS + 1_000, intervalMs: 1_000 },
    })
    machine.clock.advance(999)
    expect(log.stats().cleaning).toMatchObject({ cleanings: 0, isRunning: false })
    machine.clock.advance(1)
    await until(() => log.stats().cleaning?.cleanings === 1)
    expect(await pairs(log)).toEqual(['1 b:1', '2 a:2'])
    expect(checkpoint(path)).toBe('0\n1\nusers 0 3\n')
    expect(log.explain().cleaning).toMatchObject({
      firstDirtyOffset: 3n,
      isDue: false,
      last: { recordsWritten: 2 },
    })
  })

  test('none looks where log.cleaner.enable is false; runCleaner still does', async () => {
    const { log, machine, manager } = await managed({ manager: { cleanerEnable: false } })
    put(log, 'a:1', 'a:2')
    log.roll()
    expect(log.explain().cleaning).toMatchObject({ cleaner: { kind: 'never', because: 'cleaner off' } })
    machine.clock.advance(3_600_000)
    expect(log.stats().cleaning?.isRunning).toBe(false)
    expect([...(await manager.runCleaner()).keys()]).toEqual(['users-0'])
  })

  test('segments of compact,delete go by retention.ms, and those of compact below the log start offset', async () => {
    const { log, machine, manager } = await managed({ manager: { cleanerBackoffMs: 1_000 } })
    const both = await manager.createLog(
      { topic: 'both', partition: 0 },
      { cleanupPolicy: ['compact', 'delete'], retentionMs: 500 },
    )
    for (const one of [log, both]) {
      put(one, 'a:1')
      one.roll()
      put(one, 'a:2')
    }
    await log.deleteRecordsBefore(1)
    machine.clock.advance(1_000)
    await until(() => both.offsets.logStartOffset === 2n && log.segmentSizes.length === 1)
    expect(await pairs(log)).toEqual(['1 a:2'])
    expect(await pairs(both)).toEqual([])
  })

  test('a log that openLog has opened is cleaned too', async () => {
    const machine = testMachine()
    const path = join(tempDir(), 'users-0')
    const log = closeLater(
      await openLogOn(machine, path, { config: COMPACT, manager: { cleanerBackoffMs: 1_000 } }),
    )
    put(log, 'a:1', 'a:2')
    log.roll()
    machine.clock.advance(1_000)
    await until(() => log.stats().cleaning?.cleanings === 1)
    expect(await pairs(log)).toEqual(['1 a:2'])
  })
})

describe('log.clean', () => {
  test('cleans however clean the log is, and tells how far it is', async () => {
    const { log } = await managed({ config: { cleanupPolicy: ['compact'], minCleanableDirtyRatio: 1 } })
    put(log, 'a:1', 'a:2', 'b:1')
    log.roll()
    const seen: number[] = []
    const report = await log.clean({ onProgress: (done, total) => seen.push(done / total) })
    expect(report).toMatchObject({ recordsRead: 3, recordsWritten: 2, segmentsRead: 1, segmentsWritten: 1 })
    expect(seen.at(-1)).toBe(1)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })

  test('gives null where nothing can be cleaned, or the log does not compact', async () => {
    const { log, manager } = await managed()
    put(log, 'a:1', 'a:2')
    expect(await log.clean()).toBeNull()
    const plain = await manager.createLog({ topic: 'plain', partition: 0 }, { cleanupPolicy: ['delete'] })
    put(plain, 'a:1', 'a:2')
    plain.roll()
    expect(await plain.clean()).toBeNull()
    expect(plain.stats().cleaning).toBeNull()
  })

  test('a close in the same turn waits for no cleaning that has not begun', async () => {
    const { log, manager } = await managed()
    put(log, 'a:1', 'a:2')
    log.roll()
    const cleaning = rejection(() => log.clean())
    await manager.close()
    expect(await cleaning).toMatchObject({ code: 'ERR_CLOSED' })
  })

  test('tombstones stay for ever where delete.retention.ms has no end', async () => {
    const { log } = await managed({ config: { ...COMPACT, deleteRetentionMs: 2n ** 63n - 1n } })
    put(log, 'a:1', 'a', 'b:1')
    log.roll()
    await log.clean()
    put(log, 'b:2')
    log.roll()
    await log.clean()
    expect(await pairs(log)).toEqual(['1 a', '3 b:2'])
  })

  test('a second round goes on where the first ended, over segments that it left', async () => {
    const { log, path } = await managed()
    put(log, 'a:1', 'b:1')
    log.roll()
    await log.clean()
    put(log, 'a:2', 'c:1')
    log.roll()
    expect(await log.clean()).toMatchObject({
      firstDirtyOffset: 2n,
      endOffset: 4n,
      segmentsRead: 2,
      segmentsWritten: 1,
    })
    expect(await pairs(log)).toEqual(['1 b:1', '2 a:2', '3 c:1'])
    expect(readdirSync(join(path, 'users-0')).filter((name) => /\.(cleaned|swap)$/.test(name))).toEqual([])
  })
})

describe('known fault 98: a log that cannot be cleaned', () => {
  test('is set aside with its reason, and keeps no other from being cleaned', async () => {
    const { manager, log, path } = await managed()
    const other = await manager.createLog({ topic: 'others', partition: 0 })
    for (const one of [log, other]) {
      put(one, 'a:1', 'a:2')
      one.roll()
    }
    await log.flush()
    damage(path)
    const error = await rejection(() => manager.runCleaner())
    expect(error).toMatchObject({
      code: 'ERR_CORRUPT',
      path: join(path, 'users-0', `${NAME}.log`),
      position: 0,
    })
    expect(await pairs(other)).toEqual(['1 a:2'])
    expect(log.stats().cleaning?.setAside).toMatchObject({
      code: 'ERR_CORRUPT',
      failures: 1,
      retryMs: START_MS + 30_000,
    })
    expect(log.explain().cleaning).toMatchObject({ setAside: { code: 'ERR_CORRUPT' }, isDue: true })
    expect(manager.stats().uncleanableLogs).toBe(1)
    expect(log.state).toBe('open')
    expect(readdirSync(join(path, 'users-0')).filter((name) => name.endsWith('.cleaned'))).toEqual([])
  })

  test('is tried again when its time has come, or at once when that is asked for', async () => {
    const { manager, log, path, machine } = await managed()
    put(log, 'a:1', 'a:2')
    log.roll()
    await log.flush()
    damage(path)
    await rejection(() => manager.runCleaner())
    damage(path)
    expect((await manager.runCleaner()).size).toBe(0)
    machine.clock.advance(29_999)
    expect((await manager.runCleaner()).size).toBe(0)
    log.retryCleaning()
    expect((await manager.runCleaner()).size).toBe(1)
    expect(log.stats().cleaning?.setAside).toBeNull()
  })

  test('a change of a setting has it tried again', async () => {
    const { manager, log, path } = await managed()
    put(log, 'a:1', 'a:2')
    log.roll()
    await log.flush()
    damage(path)
    await rejection(() => manager.runCleaner())
    damage(path)
    await log.updateConfig({ deleteRetentionMs: 1 })
    expect((await manager.runCleaner()).size).toBe(1)
  })
})

describe('known fault 97: a checkpoint that cannot be believed', () => {
  test.each(['0\n1\nusers 0 1000000000\n', 'no checkpoint'])(
    '%j: the log is cleaned from its start',
    async (text) => {
      const { manager, log, path, machine } = await managed()
      put(log, 'a:1', 'a:2')
      log.roll()
      await manager.close()
      writeFileSync(join(path, 'cleaner-offset-checkpoint'), text)
      const again = await managed({ path, machine })
      await again.manager.runCleaner()
      expect(await pairs(again.log)).toEqual(['1 a:2'])
      expect(checkpoint(path)).toBe('0\n1\nusers 0 2\n')
    },
  )
})

test('a truncation below what is clean lowers the checkpoint to the active segment’s base', async () => {
  const { log, path } = await managed()
  put(log, 'a:1', 'a:2')
  log.roll()
  put(log, 'a:3')
  log.roll()
  await log.clean()
  expect(checkpoint(path)).toBe('0\n1\nusers 0 3\n')
  await log.truncateTo(2)
  expect(checkpoint(path)).toBe('0\n1\nusers 0 0\n')
})

test('known fault 103: a log that is deleted and made anew begins without a checkpoint', async () => {
  const { manager, log, path } = await managed()
  put(log, 'a:1', 'a:2')
  log.roll()
  await log.clean()
  await manager.deleteLog(users)
  expect(checkpoint(path)).toBe('0\n0\n')
  const anew = await manager.createLog(users)
  put(anew, 'a:1', 'a:2')
  anew.roll()
  expect(anew.explain().cleaning).toMatchObject({ firstDirtyOffset: 0n, cleanBytes: 0, isDue: true })
})

test('one cleaner for each of log.cleaner.threads works at a time', async () => {
  const { manager, machine } = await managed({ manager: { cleanerThreads: 3, cleanerBackoffMs: 1_000 } })
  const logs: PartitionLog[] = []
  for (let partition = 0; partition < 5; partition++) {
    const log = await manager.createLog({ topic: 'many', partition })
    put(log, 'a:1', 'a:2')
    log.roll()
    logs.push(log)
  }
  machine.clock.advance(1_000)
  await until(() => logs.every((log) => log.stats().cleaning?.cleanings === 1))
  for (const log of logs) expect(await pairs(log)).toEqual(['1 a:2'])
})

test('logs that are opened one by one share the places of cleaners: only so many are cleaned at a time', async () => {
  const machine = testMachine()
  const directory = tempDir()
  const held: (() => void)[] = []
  const openCleanerThread = () => ({
    async run() {
      await new Promise<void>((resolve) => held.push(resolve))
      throw new Error('no cleaning in this test')
    },
    close: async () => undefined,
  })
  for (let partition = 0; partition < 5; partition++) {
    const options = { config: COMPACT, manager: { cleanerBackoffMs: 1_000, cleanerThreads: 2 } }
    const log = closeLater(
      await openLogOn({ ...machine, openCleanerThread }, join(directory, `users-${partition}`), options),
    )
    put(log, 'a:1', 'a:2')
    log.roll()
  }
  machine.clock.advance(1_000)
  await until(() => held.length === 2)
  // The other three have looked by now, and wait for another round.
  for (let turn = 0; turn < 200; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
  expect(held).toHaveLength(2)
  for (const release of held) release()
})

test('known fault 65: a line that a log left in another directory’s checkpoint says nothing', async () => {
  const machine = testMachine()
  const [here, elsewhere] = [tempDir(), tempDir()]
  writeFileSync(join(elsewhere, 'cleaner-offset-checkpoint'), '0\n1\nusers 0 2\n')
  const { manager, log } = await managed({ path: here, machine })
  put(log, 'a:1', 'a:2')
  log.roll()
  await manager.close()
  const both = await openLogManagerOn(machine, { logDirs: [elsewhere, here], config: COMPACT })
  managers.push(both)
  expect([...(await both.runCleaner()).keys()]).toEqual(['users-0'])
  expect(await pairs(both.getLog(users) as PartitionLog)).toEqual(['1 a:2'])
  expect([checkpoint(here), checkpoint(elsewhere)]).toEqual(['0\n1\nusers 0 2\n', '0\n1\nusers 0 2\n'])
})

test('a swap that cannot be finished takes the log offline, and runCleaner tells of it', async () => {
  const { manager, log, path } = await managed()
  put(log, 'a:1', 'a:2')
  log.roll()
  mkdirSync(join(path, 'users-0', `${NAME}.log.deleted`, 'in the way'), { recursive: true })
  expect(await rejection(() => manager.runCleaner())).toMatchObject({ code: 'ERR_IO', syscall: 'rename' })
  expect(log.state).toBe('offline')
  expect(log.stats().cleaning?.setAside).toBeNull()
})
