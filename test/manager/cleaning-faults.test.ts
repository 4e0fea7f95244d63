/** Every call of the machine fails once while a compacted log is cleaned, each in a run of its own. */
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PartitionLogError } from '../../lib/errors.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogManagerOn } from '../../lib/manager/open-log-manager.js'
import { COMPACTED, CompactedModel, recordsOf, unfinishedIn } from '../support/compacted-log.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { CALL_KINDS, type CallKind, FailingMachine, type Fault } from '../support/failing-machine.js'
import { named } from '../support/manager.js'
import { memoryDir, removeDir } from '../support/temp-dir.js'
import { until } from '../support/turns.js'

const LOG = named('orders-0')
const model = new CompactedModel()
let original = ''
/** Calls of each kind of a cleaning without faults. */
let counts: Readonly<Record<CallKind, number>>

beforeAll(async () => {
  original = memoryDir()
  const manager = await openLogManagerOn(new FailingMachine(), { logDirs: [original], config: COMPACTED })
  model.fill(await manager.createLog(LOG), 6)
  await manager.close()
  const ended = await cleaned(() => undefined)
  expect(ended).toEqual({ outcome: 'cleaned', kinds: expect.anything() })
  counts = ended.kinds
})

interface Ended {
  readonly outcome: 'cleaned' | 'set aside' | 'offline'
  readonly kinds: Readonly<Record<CallKind, number>>
}

/** A copy of the log is cleaned while calls fail; whatever comes of it keeps every record that stays. */
async function cleaned(fault: Fault): Promise<Ended> {
  const directory = memoryDir()
  cpSync(original, directory, { recursive: true, preserveTimestamps: true })
  const machine = new FailingMachine()
  const manager = await openLogManagerOn(machine, { logDirs: [directory], config: COMPACTED })
  const log = manager.getLog(LOG) ?? expect.fail()
  const before = { ...machine.counts }
  const since = (kind: CallKind) => machine.counts[kind] - before[kind]
  machine.fault = (kind, _, path) => fault(kind, since(kind), path)
  const error = await manager.runCleaner().then(
    () => undefined,
    (failure: PartitionLogError) => failure,
  )
  const kinds = Object.fromEntries(CALL_KINDS.map((kind) => [kind, since(kind)])) as Ended['kinds']
  machine.mend()
  const outcome = log.state === 'open' ? (error === undefined ? 'cleaned' : 'set aside') : 'offline'
  if (outcome === 'set aside') await expectSetAside(manager, log, machine)
  if (outcome === 'cleaned') expect(unfinishedIn(log.path)).toEqual([])
  await manager.close().catch(() => undefined)
  if (canSeeDescriptors) expect(openBelow(directory)).toEqual([])
  await expectSound(directory)
  removeDir(directory)
  return { outcome, kinds }
}

/** The log goes on, nothing is left of the cleaning, and the next one is made in its time. */
async function expectSetAside(
  manager: LogManager,
  log: PartitionLog,
  machine: FailingMachine,
): Promise<void> {
  model.expectIn(await recordsOf(log))
  if (!machine.failed.some((call) => /^remove .*cleaned$/.test(call)))
    expect(unfinishedIn(log.path)).toEqual([])
  log.append([{ key: 'k9', value: 'beside' }])
  const explained = log.explain().cleaning
  const setAside = explained.kind === 'compacts' ? explained.setAside : null
  expect(setAside).toMatchObject({ code: expect.stringMatching(/^ERR_(IO|DISK_FULL)$/), failures: 1 })
  // Not before its time.
  await manager.runCleaner()
  expect(log.explain().cleaning).toMatchObject({ setAside: { failures: 1 } })
  machine.clock.advance((setAside?.retryMs ?? 0) - machine.clock.nowMs())
  await until(() => isCleaned(log), 'the next cleaning')
  expect(log.explain().cleaning).toMatchObject({ setAside: null, dirtyBytes: expect.any(Number) })
  expect(unfinishedIn(log.path)).toEqual([])
}

function isCleaned(log: PartitionLog): boolean {
  const { cleaning } = log.explain()
  return cleaning.kind === 'compacts' && cleaning.last !== null && cleaning.running === null
}

/** The next opening has each record that stays, and can be cleaned. */
async function expectSound(directory: string): Promise<void> {
  const manager = await openLogManagerOn(new FailingMachine(), { logDirs: [directory], config: COMPACTED })
  expect(manager.problems).toEqual([])
  const log = manager.getLog(LOG) ?? expect.fail()
  const found = await recordsOf(log)
  model.expectIn(found.filter(({ value }) => String(value) !== 'beside'))
  await log.clean()
  expect(unfinishedIn(log.path)).toEqual([])
  const end = Number(log.segments.at(-1)?.baseOffset)
  const left = (await recordsOf(log)).filter(({ value }) => String(value) !== 'beside')
  expect(left.map(({ offset }) => Number(offset))).toEqual(model.staying(end))
  await manager.close()
}

/** One run for each call of `kind`; how they ended. */
async function failEach(kind: CallKind, errno: string, on = /./): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {}
  expect(counts[kind]).toBeGreaterThan(0)
  for (let nth = 1; nth <= counts[kind]; nth++) {
    try {
      const isIt: Fault = (called, n, path) =>
        called === kind && n === nth && on.test(path) ? errno : undefined
      const { outcome } = await cleaned(isIt)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    } catch (error) {
      throw new Error(`${errno} of ${kind} ${nth}`, { cause: error })
    }
  }
  console.log(`${errno} of each of ${counts[kind]} calls of ${kind}: ${JSON.stringify(outcomes)}`)
  return outcomes
}

const CALLED: CallKind[] = [
  'list',
  'openLogFile',
  'openIndexFile',
  'append',
  'trim',
  'flush',
  'flushPath',
  'setModified',
  'rename',
  'write',
]

describe('known fault 106: a cleaning in which one call fails', () => {
  test.each(CALLED)('EIO of each %s', async (kind) => {
    await failEach(kind, 'EIO')
  })

  test.each<CallKind>(['openLogFile', 'openIndexFile', 'append', 'write', 'setModified', 'trim'])(
    'a full disk at each %s leaves the log usable',
    async (kind) => {
      // To open what is there takes no room.
      const on = kind.startsWith('open') ? /cleaned$/ : /./
      expect((await failEach(kind, 'ENOSPC', on)).offline).toBeUndefined()
    },
  )

  test('a disk gone from any call on', async () => {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    for (let from = 1; from <= all; from += 5) {
      let made = 0
      const { outcome } = await cleaned(() => (++made >= from ? 'EIO' : undefined))
      expect(outcome, `from call ${from} on`).not.toBe('cleaned')
    }
  }, 120_000)

  test('a disk that is full while `.cleaned` is written', async () => {
    const { outcome } = await cleaned((kind, _, path) =>
      kind === 'append' && path.endsWith('.cleaned') ? 'ENOSPC' : undefined,
    )
    expect(outcome).toBe('set aside')
  })

  test('leftovers are no input of the next cleaning, and go with the log', async () => {
    const directory = memoryDir()
    cpSync(original, directory, { recursive: true, preserveTimestamps: true })
    const machine = new FailingMachine()
    const manager = await openLogManagerOn(machine, { logDirs: [directory], config: COMPACTED })
    const log = manager.getLog(LOG) ?? expect.fail()
    machine.fault = (kind, _, path) =>
      (kind === 'append' || kind === 'remove') && path.endsWith('.cleaned') ? 'EIO' : undefined
    await manager.runCleaner().catch(() => undefined)
    expect(unfinishedIn(log.path)).not.toEqual([])
    machine.mend()
    log.retryCleaning()
    await manager.runCleaner()
    expect(unfinishedIn(log.path)).toEqual([])
    model.expectIn(await recordsOf(log))
    machine.failWhere('append', /cleaned/)
    log.append([{ key: 'k1', value: 'more' }])
    log.roll()
    await log.clean().catch(() => undefined)
    machine.mend()
    const { path } = log
    await manager.deleteLog(LOG)
    machine.clock.advance(60_000)
    await until(() => !existsSync(path))
    await manager.close()
    expect(existsSync(join(directory, 'orders-0'))).toBe(false)
  })
})
