/**
 * One fixed story of a manager, told on a machine that may fail anywhere: what
 * each step gave, which records somebody was told are on disk, and whether the
 * directory afterwards keeps every promise.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { PartitionLogError } from '../../lib/errors.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { canSeeDescriptors, openBelow } from './descriptors.js'
import { FailingMachine } from './failing-machine.js'
import { collect, numbered } from './log.js'
import { named } from './manager.js'
import { FIRST_MS, TWO_BATCHES } from './segmented-log.js'
import { settling } from './settled.js'
import { telling } from './telling.js'
import { memoryDir, removeDir } from './temp-dir.js'

const MARKER = '.kafka_cleanshutdown'
const CONFIG = { ...TWO_BATCHES, retentionBytes: 300, fileDeleteDelayMs: 1_000 }
const orders = named('orders-0')

/** Two logs, closed cleanly, and what a deletion left behind. Made once, copied for each run. */
export async function makeOriginal(): Promise<string> {
  const directory = memoryDir()
  const manager = await openLogManagerOn(new FailingMachine(), { logDirs: [directory], config: CONFIG })
  for (const [name, count] of [
    ['orders-0', 6],
    ['gone-0', 2],
  ] as const) {
    const log = await manager.createLog(named(name))
    for (let n = 0; n < count; n++) log.append(numbered(1, n, FIRST_MS), { leaderEpoch: n >> 2 })
  }
  await manager.close()
  const left = join(directory, `old-0.${'0'.repeat(32)}-delete`)
  mkdirSync(left)
  writeFileSync(join(left, 'x'), 'x')
  return directory
}

/** What was told to somebody, and must hold. */
interface Promises {
  /** Values by log and offset whose appends are on disk. */
  readonly acknowledged: Map<string, Map<bigint, string>>
  /** A log's records below this may be gone. */
  readonly floors: Map<string, bigint>
  /** A log starts here at least. */
  readonly starts: Map<string, bigint>
  readonly made: Set<string>
  readonly deleted: Set<string>
}

export interface Told {
  /** `step code` of each step that failed. */
  readonly refusals: string[]
  readonly offline: string[]
  readonly lines: readonly string[]
}

/** Runs the story on a copy of `original`, and checks what it leaves. `arm` sets the faults. */
export async function runScenario(
  original: string,
  arm: (machine: FailingMachine) => void,
): Promise<FailingMachine> {
  const directory = memoryDir()
  cpSync(original, directory, { recursive: true, preserveTimestamps: true })
  const machine = new FailingMachine()
  arm(machine)
  const promises: Promises = {
    acknowledged: new Map([
      ['orders-0', new Map(Array.from({ length: 6 }, (_, n) => [BigInt(n), `v${n}`]))],
      [
        'gone-0',
        new Map([
          [0n, 'v0'],
          [1n, 'v1'],
        ]),
      ],
    ]),
    floors: new Map(),
    starts: new Map(),
    made: new Set(['orders-0', 'gone-0']),
    deleted: new Set(),
  }
  const told = await tell(directory, machine, promises)
  if (!machine.failed.every((call) => isMarkers(call, directory))) expectTold(told)
  await expectKept(directory, promises)
  removeDir(directory)
  return machine
}

/** Tells the story; every step may be refused, with a code. */
async function tell(directory: string, machine: FailingMachine, promises: Promises): Promise<Told> {
  const { logger, lines } = telling()
  const refusals: string[] = []
  const offline: string[] = []
  const { machine: counted, settled } = settling(machine)
  const step = async <T>(name: string, work: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      const { code } = error as PartitionLogError
      expect(code, `${name}: ${error}`).toMatch(/^ERR_[A-Z_]+$/)
      refusals.push(`${name} ${code}`)
      return undefined
    }
  }
  const manager = await step('open', () =>
    openLogManagerOn(counted, {
      logDirs: [directory],
      config: CONFIG,
      logger,
      onOffline: (error, { log, logDir }) => void offline.push(`${log?.name ?? logDir} ${error.code}`),
    }),
  )
  if (manager !== undefined) {
    for (const problem of manager.problems) refusals.push(`open ${problem.error.code}`)
    const pass = async (ms: number) => {
      machine.clock.advance(ms)
      await settled()
    }
    await use(manager, step, pass, promises)
    await step('close', () => manager.close())
    machine.mend()
    // A full disk leaves it open; then it can be closed now. Otherwise this is the first close.
    await step('close again', () => manager.close())
    expect(manager.logs().map(({ state }) => state)).not.toContain('open')
  }
  machine.mend()
  await settled()
  if (canSeeDescriptors) expect(openBelow(directory)).toEqual([])
  return { refusals, offline, lines }
}

type Step = <T>(name: string, work: () => Promise<T> | T) => Promise<T | undefined>

async function use(
  manager: LogManager,
  step: Step,
  pass: (ms: number) => Promise<void>,
  promises: Promises,
): Promise<void> {
  const append = async (log: PartitionLog, value: string) => {
    const appended = await step('append', () =>
      log.append([{ value, timestamp: FIRST_MS }], { leaderEpoch: 2 }),
    )
    if (appended === undefined) return
    const { baseOffset } = appended
    await step('durable', async () => {
      await appended.durable()
      const values = promises.acknowledged.get(log.name) ?? new Map<bigint, string>()
      promises.acknowledged.set(log.name, values.set(baseOffset, value))
    })
  }
  /** What has moved the start so far may have taken what lies below. */
  const noteStart = (log: PartitionLog, at: bigint = log.offsets.logStartOffset) => {
    const before = promises.floors.get(log.name) ?? 0n
    if (at > before) promises.floors.set(log.name, at)
  }

  const made = await step('create', () => manager.createLog(named('new-0')))
  if (made !== undefined) {
    promises.made.add('new-0')
    for (let n = 0; n < 3; n++) await append(made, `new${n}`)
  }
  const log = manager.getLog(orders)
  if (log !== undefined) {
    for (let n = 6; n < 8; n++) await append(log, `v${n}`)
    await step('roll', () => log.roll())
    await append(log, 'v8')
    await step('flush', () => log.flush())
    await step('retain', () => manager.runRetention())
    noteStart(log)
    await pass(1_000)
    noteStart(log, 5n)
    const start = await step('delete records', () => log.deleteRecordsBefore(5))
    if (start !== undefined) promises.starts.set('orders-0', 5n)
    for (const offset of promises.acknowledged.get('orders-0')?.keys() ?? []) {
      if (offset >= 7n) promises.acknowledged.get('orders-0')?.delete(offset)
    }
    await step('truncate', () => log.truncateTo(7))
    await append(log, 'again7')
  }
  promises.acknowledged.delete('gone-0')
  promises.made.delete('gone-0')
  if (await step('delete', () => manager.deleteLog(named('gone-0')))) promises.deleted.add('gone-0')
  await pass(30_000)
  if (log !== undefined) noteStart(log)
  await step('checkpoint', () => manager.checkpoint())
}

/** A marker that a full disk cannot take is written in another way: that is no failure. */
function isMarkers(call: string, directory: string): boolean {
  return call.includes(MARKER) || call === `flushPath ${directory}`
}

/** A call that failed is never swallowed: its caller, `onOffline` or at least the logger has heard of it. */
function expectTold({ refusals, offline, lines }: Told): void {
  const warnings = lines.filter((line) => /^(warn|error) /.test(line))
  expect([...refusals, ...offline, ...warnings]).not.toEqual([])
}

/** What lies in the directory keeps every promise, and a marker stands for what is clean. */
async function expectKept(directory: string, promises: Promises): Promise<void> {
  const live = readdirSync(directory).filter((name) => /-\d+$/.test(name))
  for (const name of promises.deleted) expect(live).not.toContain(name)
  for (const name of promises.made) expect(live).toContain(name)
  if (existsSync(join(directory, MARKER))) await expectClean(directory, live, promises)
  else await expectUnclean(directory, live, promises)
}

async function expectClean(directory: string, live: string[], promises: Promises): Promise<void> {
  const manager = await openLogManagerOn(new FailingMachine(), { logDirs: [directory] })
  expect(manager.problems).toEqual([])
  expect(manager.logs().map(({ name }) => name)).toEqual(live.sort())
  for (const log of manager.logs()) {
    await expectRecords(log, promises)
    log.append([{ value: 'after' }])
  }
  await manager.close()
}

async function expectUnclean(directory: string, live: readonly string[], promises: Promises): Promise<void> {
  for (const name of live) {
    const opening = openLogOn(new FailingMachine(), join(directory, name), { readOnly: true })
    const reader = await opening.catch((error) => {
      // A log that was being made may not have got that far.
      expect([name, error.code]).toEqual(['new-0', 'ERR_NOT_A_LOG'])
      expect(promises.made.has(name)).toBe(false)
    })
    if (reader === undefined) continue
    await expectRecords(reader, promises)
    await reader.close()
  }
  const manager = await openLogManagerOn(new FailingMachine(), { logDirs: [directory] })
  expect(manager.problems).toEqual([])
  for (const log of manager.logs()) {
    await expectRecords(log, promises)
    log.append([{ value: 'after' }])
  }
  await manager.close()
  expect(existsSync(join(directory, MARKER))).toBe(true)
}

async function expectRecords(
  log: PartitionLog | Awaited<ReturnType<typeof openLogOn>>,
  promises: Promises,
): Promise<void> {
  const records = await collect(log.read())
  const values = new Map(records.map(({ offset, value }) => [offset, value?.toString()]))
  const { logStartOffset, logEndOffset } = log.offsets
  expect(BigInt(values.size), `${log.name} has no hole`).toBe(logEndOffset - logStartOffset)
  expect(logStartOffset).toBeGreaterThanOrEqual(promises.starts.get(log.name) ?? 0n)
  const floor = promises.floors.get(log.name) ?? 0n
  for (const [offset, value] of promises.acknowledged.get(log.name) ?? []) {
    if (offset >= floor) expect(values.get(offset), `${log.name} ${offset}`).toBe(value)
  }
}
