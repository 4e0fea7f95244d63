/** What is asked of the same log at once: by its manager, and by who holds it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { codeOf } from '../support/errors.js'
import { FailingMachine } from '../support/failing-machine.js'
import { numbered, values } from '../support/log.js'
import { named, namesOf, type Told, testManager } from '../support/manager.js'
import { fcOptions } from '../support/random.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns } from '../support/turns.js'

const MARKER = '.kafka_cleanshutdown'
const orders = named('orders-0')

/** Names in the checkpoints of a directory, each with its offset. */
function linesOf(directory: string, name: string): string[] {
  const lines = readFileSync(join(directory, `${name}-offset-checkpoint`), 'latin1').split('\n')
  return lines.slice(2, -1)
}

/** Live logs on the disk. */
function onDisk(directory: string): string[] {
  return readdirSync(directory).filter((name) => /-\d+$/.test(name))
}

describe('at once', () => {
  test('several makings of one log give one log', async () => {
    const manager = await testManager()
    const logs = await Promise.all(Array.from({ length: 5 }, () => manager.createLog(orders)))
    expect(new Set(logs).size).toBe(1)
    expect(manager.logs()).toEqual([logs[0]])
  })

  test('a making that fails does not fail the next', async () => {
    const machine = new FailingMachine()
    const manager = await testManager({ machine })
    machine.failNth('makeDirectory', 1)
    const [first, second] = await Promise.allSettled([manager.createLog(orders), manager.createLog(orders)])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'ERR_IO' } })
    expect(second).toMatchObject({ status: 'fulfilled' })
  })

  test('a deletion and a making follow each other', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const old = await manager.createLog(orders)
    old.append(numbered(3))
    await old.deleteRecordsBefore(2)
    const [deleted, made] = await Promise.all([manager.deleteLog(orders), manager.createLog(orders)])
    expect(deleted).toBe(true)
    expect(made).not.toBe(old)
    expect([old.state, made.state]).toEqual(['closed', 'open'])
    expect(made.offsets).toMatchObject({ logStartOffset: 0n, logEndOffset: 0n })
    made.append(numbered(1))
    await manager.close()
    expect(linesOf(directory, 'recovery-point')).toEqual(['orders 0 1'])
    expect(linesOf(directory, 'log-start')).toEqual([])
    const again = await testManager({ logDirs: [directory] })
    expect(again.getLog(orders)?.offsets.logEndOffset).toBe(1n)
  })

  test('a making and a deletion leave nothing, and two deletions take one log', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const [log, ...deleted] = await Promise.all([
      manager.createLog(orders),
      manager.deleteLog(orders),
      manager.deleteLog(orders),
    ])
    expect([log.state, ...deleted]).toEqual(['closed', true, false])
    expect([namesOf(manager), onDisk(directory)]).toEqual([[], []])
  })

  test('closing the manager waits for what was asked before', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const doomed = await manager.createLog(named('doomed-0'))
    doomed.append(numbered(1))
    const asked = [manager.createLog(orders), manager.deleteLog(named('doomed-0')), manager.checkpoint()]
    const closing = manager.close()
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(
      asked.map(() => 'fulfilled'),
    )
    await closing
    expect(onDisk(directory)).toEqual(['orders-0'])
    expect(linesOf(directory, 'recovery-point')).toEqual(['orders 0 0'])
    expect(existsSync(join(directory, MARKER))).toBe(true)
    expect((await testManager({ logDirs: [directory] })).problems).toEqual([])
  })
})

describe('a log that its user closes', () => {
  test('is opened again where it lies, as often as it is asked for', async () => {
    const logDirs = [memoryDir(), memoryDir()]
    const manager = await testManager({ logDirs })
    await manager.createLog(named('first-0'))
    const log = await manager.createLog(orders)
    log.append(numbered(2))
    expect(dirname(log.path)).toBe(logDirs[1])
    await manager.deleteLog(named('first-0'))
    for (let n = 2; n < 5; n++) {
      const open = manager.getLog(orders) ?? expect.fail()
      await open.close()
      expect(manager.getLog(orders)).toBeUndefined()
      const again = await manager.createLog(orders)
      expect(again.path).toBe(log.path)
      again.append(numbered(1, n))
    }
    await manager.getLog(orders)?.close()
    await manager.close()
    const last = await testManager({ logDirs })
    expect(last.problems).toEqual([])
    expect(await values((last.getLog(orders) ?? expect.fail()).read())).toHaveLength(5)
  })

  test('and asks for in the same turn comes back open', async () => {
    const manager = await testManager()
    const log = await manager.createLog(orders)
    log.append(numbered(2))
    const [, again] = await Promise.all([log.close(), manager.createLog(orders)])
    expect([log.state, again.state]).toEqual(['closed', 'open'])
    expect(again.offsets.logEndOffset).toBe(2n)
  })

  test.each(['close first', 'delete first'])('and deletes in the same turn is gone: %s', async (order) => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const log = await manager.createLog(orders)
    log.append(numbered(3))
    await log.deleteRecordsBefore(1)
    const both = [() => log.close(), () => manager.deleteLog(orders)]
    if (order === 'delete first') both.reverse()
    await Promise.all(both.map((act) => act()))
    expect([log.state, onDisk(directory)]).toEqual(['closed', []])
    for (const name of ['recovery-point', 'log-start', 'replication']) {
      expect(linesOf(directory, name), name).toEqual([])
    }
    await manager.close()
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })

  test('after it failed is recovered when it is opened again; else no marker vouches for it', async () => {
    const directory = memoryDir()
    const machine = new FailingMachine()
    const manager = await testManager({ logDirs: [directory], machine })
    const log = await manager.createLog(orders)
    log.append(numbered(1))
    machine.failNth('flush', 1)
    expect(await codeOf(() => log.flush())).toBe('ERR_IO')
    machine.mend()
    await log.close()
    await manager.close()
    expect(existsSync(join(directory, MARKER))).toBe(false)
    const second = await testManager({ logDirs: [directory], machine })
    const failing = second.getLog(orders) ?? expect.fail()
    failing.append(numbered(1))
    machine.failNth('flush', 1)
    expect(await codeOf(() => failing.flush())).toBe('ERR_IO')
    machine.mend()
    await failing.close()
    const again = await second.createLog(orders)
    expect(again.recovery).toMatchObject({ wasClean: false, logEndOffset: 2n })
    await second.close()
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })

  test('while the manager closes is closed once', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const log = await manager.createLog(orders)
    log.append(numbered(1))
    await Promise.all([log.close(), manager.close(), log.close()])
    expect(linesOf(directory, 'recovery-point')).toEqual(['orders 0 1'])
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })
})

test('a full disk leaves the manager open where it cannot be closed, for another close', async () => {
  const directory = memoryDir()
  const machine = new FailingMachine()
  const manager = await testManager({ logDirs: [directory, memoryDir()], machine })
  const [log, other] = [await manager.createLog(orders), await manager.createLog(named('other-0'))]
  log.append(numbered(2))
  machine.failWhere('write', /recovery-point/, 'ENOSPC')
  machine.fault = (kind, _, path) =>
    kind === 'write' && path.startsWith(directory) && path.includes('recovery-point') ? 'ENOSPC' : undefined
  expect(await codeOf(() => manager.close())).toBe('ERR_DISK_FULL')
  // Nobody else may have the directory while the log can be written to.
  expect([log.state, other.state]).toEqual(['open', 'closed'])
  expect(await codeOf(() => testManager({ logDirs: [directory] }))).toBe('ERR_LOCKED')
  expect(await codeOf(() => manager.createLog(named('new-0')))).toBe('ERR_CLOSED')
  log.append(numbered(1, 2))
  machine.mend()
  await manager.close()
  expect(log.state).toBe('closed')
  const again = await testManager({ logDirs: [directory] })
  expect(await values((again.getLog(orders) ?? expect.fail()).read())).toEqual(['v0', 'v1', 'v2'])
})

describe('any calls at once', () => {
  const act = fc.constantFrom('create', 'delete', 'close', 'append', 'checkpoint', 'retain', 'flush')
  const steps = fc.array(
    fc.record({ act, name: fc.constantFrom('a-0', 'b-0'), turnsAfter: fc.constantFrom(0, 0, 1, 3, 30) }),
    { minLength: 2, maxLength: 12 },
  )

  /** Begins one call; what it may refuse is the state of the log alone. */
  async function begin(manager: LogManager, call: string, name: string): Promise<unknown> {
    const log = manager.getLog(named(name))
    switch (call) {
      case 'create':
        return manager.createLog(named(name))
      case 'delete':
        return manager.deleteLog(named(name))
      case 'close':
        return log?.close()
      case 'append':
        return log?.append(numbered(2)).durable()
      case 'flush':
        return log?.flush()
      case 'retain':
        return manager.runRetention()
      default:
        return manager.checkpoint()
    }
  }

  test('leave what the last making or deletion of each log says, and a clean directory', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (calls) => {
        const directory = memoryDir()
        const machine = new FailingMachine()
        const offline: Told[] = []
        const config = { internalSegmentBytes: 100, retentionBytes: 0 }
        const manager = await testManager({ logDirs: [directory], machine, offline, config })
        const working: Promise<unknown>[] = []
        for (const { act, name, turnsAfter } of calls) {
          const closed = (error: { code?: string }) => expect(error.code).toBe('ERR_CLOSED')
          working.push(begin(manager, act, name).catch(closed))
          await turns(turnsAfter)
        }
        await Promise.all(working)
        const ended = Object.fromEntries(manager.logs().map((log) => [log.name, log.offsets.logEndOffset]))
        for (const name of ['a-0', 'b-0']) {
          const last = calls.findLast((step) => step.name === name && /create|delete/.test(step.act))
          expect(onDisk(directory).includes(name)).toBe(last?.act === 'create')
        }
        await manager.close()
        expect(offline).toEqual([])
        expect(existsSync(join(directory, MARKER))).toBe(true)
        const again = await testManager({ logDirs: [directory], machine: new FailingMachine() })
        expect([again.problems, namesOf(again)]).toEqual([[], onDisk(directory)])
        for (const [name, end] of Object.entries(ended))
          expect(again.getLog(named(name))?.offsets.logEndOffset).toBe(end)
        await again.close()
      }),
      fcOptions(40),
    )
  })
})
