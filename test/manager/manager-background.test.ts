/** What goes on behind the logs, by Kafka's intervals, in a time that the test moves. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { LogManagerOptions } from '../../lib/manager/manager-options.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { startChild } from '../support/child.js'
import { closeLater, numbered } from '../support/log.js'
import { START_MS, TestClock } from '../support/machine.js'
import { named, type Told, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { settling } from '../support/settled.js'
import { swiftBackend } from '../support/swift-backend.js'
import { telling } from '../support/telling.js'
import { tempDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'

/** A manager whose steps are written down; `pass` moves its time on and lets what came due end. */
async function watched(options: Partial<LogManagerOptions> = {}) {
  const directory = tempDir()
  const clock = new TestClock()
  const machine = new RecordingMachine(directory, { clock, backend: swiftBackend() })
  const offline: Told[] = []
  const { logger, of } = telling()
  const { machine: counted, settled } = settling(machine)
  const manager = await testManager({ logDirs: [directory], machine: counted, offline, logger, ...options })
  const pass = async (ms: number): Promise<string[]> => {
    machine.taken()
    clock.advance(ms)
    await settled()
    return machine.taken()
  }
  return { directory, clock, machine, offline, of, manager, pass }
}

/** The checkpoints written among `steps`. */
function checkpointsIn(steps: readonly string[]): string[] {
  const written = steps.flatMap((step) => /^rename (.*)-offset-checkpoint\.tmp$/.exec(step)?.[1] ?? [])
  return written.sort()
}

describe('the first runs', () => {
  test('come 30 seconds after the start, all of them', async () => {
    const { manager, pass } = await watched({ config: { retentionMs: 1_000 } })
    const log = await manager.createLog(named('orders-0'))
    log.append(numbered(1, 0, START_MS))
    log.roll()
    await log.append(numbered(1, 1, START_MS + 60_000)).durable()
    expect(await pass(29_999)).toEqual([])
    const steps = await pass(1)
    expect(steps).toContain('rename 0.log')
    expect(checkpointsIn(steps)).toEqual(expect.arrayContaining(['recovery-point', 'replication']))
    expect(log.offsets.logStartOffset).toBe(1n)
  })

  test('come when the host says', async () => {
    const { manager, pass } = await watched({ manager: { initialTaskDelayMs: 500 } })
    await (await manager.createLog(named('orders-0'))).append(numbered(1, 0, START_MS)).durable()
    expect(checkpointsIn(await pass(499))).toEqual([])
    expect(checkpointsIn(await pass(1))).toEqual(['recovery-point', 'replication'])
  })
})

describe('the checkpoint', () => {
  /** After the first runs, with something new for each kind. */
  async function changed(options: Partial<LogManagerOptions> = {}) {
    const all = await watched(options)
    const log = await all.manager.createLog(named('orders-0'))
    await all.pass(30_000)
    await log.append(numbered(1)).durable()
    return { ...all, log }
  }

  test('of high watermarks is written every 5 seconds, of recovery points every 60', async () => {
    const { pass } = await changed()
    const at: string[] = []
    for (let seconds = 1; seconds <= 60; seconds++) {
      for (const kind of checkpointsIn(await pass(1_000))) at.push(`${seconds} ${kind}`)
    }
    // Once each: what says nothing new is not written again.
    expect(at).toEqual(['5 replication', '60 recovery-point'])
  })

  test('of log starts is written every 60 seconds', async () => {
    const { pass, log, machine } = await changed()
    log.roll()
    await log.deleteRecordsBefore(1)
    await log.runRetention()
    machine.taken()
    const at: string[] = []
    for (let seconds = 5; seconds <= 60; seconds += 5) {
      for (const kind of checkpointsIn(await pass(5_000))) at.push(`${seconds} ${kind}`)
    }
    // The start is the first segment's now, which needs no line.
    expect(at).toContain('60 log-start')
  })

  test('follows the host’s intervals', async () => {
    const { pass } = await changed({
      manager: {
        replicaHighWatermarkCheckpointIntervalMs: 60_000,
        flushOffsetCheckpointIntervalMs: 1_000,
      },
    })
    expect(checkpointsIn(await pass(999))).toEqual([])
    expect(checkpointsIn(await pass(1))).toEqual(['recovery-point'])
    expect(checkpointsIn(await pass(59_000))).toEqual(['replication'])
  })

  test('leaves out a log whose start is on its way to the disk: what is there is newer', async () => {
    const { directory, machine, manager, log } = await changed()
    for (let n = 1; n < 10; n++) log.append(numbered(1, n))
    const hold = machine.hold(/^flushPath log-start-offset-checkpoint\.tmp/)
    const deleting = log.deleteRecordsBefore(7)
    await hold.reached
    // The log still shows the old start; its line must not be written behind the new one.
    const checkpointing = manager.checkpoint()
    await turns(20)
    hold.release()
    await Promise.all([deleting, checkpointing])
    const reader = await openLogOn({ ...machine, clock: machine.clock, entropy: machine.entropy }, log.path, {
      readOnly: true,
    })
    expect(reader.offsets.logStartOffset).toBe(7n)
    await reader.close()
    expect(existsSync(join(directory, 'log-start-offset-checkpoint'))).toBe(true)
  })

  test('leaves out a log that is being truncated: a recovery point above the cut must not come back', async () => {
    const { machine, manager, log } = await changed()
    for (let n = 1; n < 10; n++) log.append(numbered(1, n))
    await log.flush()
    const hold = machine.hold(/^flushPath recovery-point-offset-checkpoint\.tmp/)
    const truncating = log.truncateTo(4)
    await hold.reached
    const checkpointing = manager.checkpoint()
    await turns(20)
    hold.release()
    await Promise.all([truncating, checkpointing])
    const reader = await openLogOn({ ...machine, clock: machine.clock, entropy: machine.entropy }, log.path, {
      readOnly: true,
    })
    expect(reader.offsets.recoveryPoint).toBe(4n)
    await reader.close()
  })
})

describe('retention', () => {
  test('known fault 119: looks anew every 5 minutes, also where nothing is appended any more', async () => {
    const { manager, pass } = await watched({ config: { retentionMs: 600_000 } })
    const log = await manager.createLog(named('orders-0'))
    for (let n = 0; n < 4; n++) {
      log.append(numbered(1, n, START_MS + n * 300_000))
      log.roll()
    }
    const starts: [seconds: number, start: bigint][] = []
    for (let seconds = 30; seconds <= 2_130; seconds += 300) {
      await pass(seconds === 30 ? 30_000 : 300_000)
      starts.push([seconds, log.offsets.logStartOffset])
    }
    expect(starts).toEqual([
      [30, 0n],
      [330, 0n],
      [630, 1n],
      [930, 2n],
      [1_230, 3n],
      [1_530, 4n],
      [1_830, 4n],
      [2_130, 4n],
    ])
  })

  test('leaves logs to the cleaner that compact, and those that keep all', async () => {
    const { manager, pass } = await watched({ config: { retentionMs: 1, retentionBytes: 0 } })
    const policies = {
      'a-0': ['delete'],
      'b-0': ['compact'],
      'c-0': ['compact', 'delete'],
      'd-0': [],
    } as const
    for (const [name, cleanupPolicy] of Object.entries(policies)) {
      const log = await manager.createLog(named(name), { cleanupPolicy })
      log.append(numbered(1))
      log.roll()
    }
    await pass(30_000)
    expect(manager.logs().map(({ name, segments }) => [name, segments.length])).toEqual([
      ['a-0', 1],
      ['b-0', 2],
      ['c-0', 2],
      ['d-0', 2],
    ])
  })

  test('of one log that fails takes that log offline, and the others have their turn', async () => {
    const { manager, machine, offline, of, pass } = await watched({ config: { retentionBytes: 0 } })
    for (const name of ['a-0', 'b-0', 'c-0']) {
      const log = await manager.createLog(named(name))
      log.append(numbered(1))
      log.roll()
    }
    machine.fail(/^rename 0\.log/, 'EIO')
    await pass(30_000)
    expect(manager.logs().map(({ name, state }) => [name, state])).toEqual([
      ['a-0', 'offline'],
      ['b-0', 'open'],
      ['c-0', 'open'],
    ])
    expect(offline).toEqual([['ERR_IO', 'a-0']])
    expect(of('error').join('\n')).toContain('a-0 is offline')
    for (const log of manager.logs().slice(1)) expect(log.segments).toHaveLength(1)
    // What is offline is left alone from then on.
    const errors = of('error').length
    await pass(300_000)
    expect(of('error')).toHaveLength(errors)
  })

  test('asked for by hand tells what it took, log by log', async () => {
    const { manager } = await watched({ config: { retentionBytes: 0 } })
    for (const name of ['a-0', 'b-0']) await manager.createLog(named(name))
    const log = manager.getLog(named('b-0')) ?? expect.fail()
    log.append(numbered(2))
    const taken = await manager.runRetention()
    expect([...taken.keys()]).toEqual(['b-0'])
    expect(taken.get('b-0')).toMatchObject({
      logStartOffset: 2n,
      deletions: [{ cause: { rule: 'retention.bytes' } }],
    })
    expect((await manager.runRetention()).size).toBe(0)
  })
})

describe('flushing by time', () => {
  test('is done once flush.ms has passed, at the scheduler’s next run', async () => {
    const { manager, pass } = await watched({
      manager: { flushSchedulerIntervalMs: 1_000 },
      config: { flushMs: 10_000 },
    })
    const [log, other] = [
      await manager.createLog(named('orders-0')),
      await manager.createLog(named('other-0'), { flushMs: Number.POSITIVE_INFINITY }),
    ]
    await pass(30_000)
    for (const each of [log, other]) each.append(numbered(1))
    await pass(9_000)
    expect(log.offsets.durableOffset).toBe(0n)
    await pass(2_000)
    expect([log.offsets.durableOffset, other.offsets.durableOffset]).toEqual([1n, 0n])
  })

  test('is not done where nobody asked for it', async () => {
    const { manager, pass } = await watched()
    const log = await manager.createLog(named('orders-0'))
    log.append(numbered(1, 0, START_MS))
    await pass(86_400_000)
    expect(log.offsets.durableOffset).toBe(0n)
  })
})

test('nothing runs any more once the manager is closed', async () => {
  const { manager, clock, machine, pass } = await watched({
    config: { retentionBytes: 0, fileDeleteDelayMs: 1 },
  })
  const log = await manager.createLog(named('orders-0'))
  log.append(numbered(1))
  log.roll()
  const hold = machine.hold(/^rename 0\.log/)
  clock.advance(30_000)
  await hold.reached
  let isClosed = false
  const closing = manager.close().then(() => {
    isClosed = true
  })
  await turns(20)
  // The retention under way ends first.
  expect(isClosed).toBe(false)
  hold.release()
  await closing
  expect(await pass(86_400_000)).toEqual([])
})

test('a log that is opened by itself has the same background, until it is closed', async () => {
  const directory = tempDir()
  const clock = new TestClock()
  const machine = new RecordingMachine(directory, { clock, backend: swiftBackend() })
  const config = { retentionBytes: 0 }
  const log = closeLater(await openLogOn(machine, join(directory, 'orders-0'), { config }))
  log.append(numbered(2))
  log.roll()
  await log.flush()
  clock.advance(30_000)
  await until(() => log.offsets.logStartOffset === 2n)
  await until(() => existsSync(join(directory, 'replication-offset-checkpoint')))
  await log.close()
  machine.taken()
  clock.advance(86_400_000)
  await turns(20)
  expect(machine.taken()).toEqual([])
  expect(readdirSync(dirname(log.path))).toContain('.kafka_cleanshutdown')
})

describe('the process', () => {
  const library = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href

  test.each([
    [
      'a manager',
      `const open = await openLogManager({ logDirs: [directory], backend: backend.name, manager })
      const log = await open.createLog({ topic: 'orders', partition: 0 }, config)`,
    ],
    [
      'a log',
      `const log = await openLog(directory + '/orders-0', { backend: backend.name, manager, config })`,
    ],
  ])('is not kept alive by %s that nobody closed', async (_, open) => {
    const child = startChild(`
      import { openLog, openLogManager } from ${JSON.stringify(library)}
      const directory = ${JSON.stringify(tempDir())}
      const manager = { flushSchedulerIntervalMs: 1000 }
      const config = { retentionBytes: 0, flushMs: 60_000 }
      ${open}
      await log.append([{ value: 'v' }]).durable()
      log.roll()
      await log.runRetention()
      log.append([{ value: 'not awaited' }]).durable()
      say('done')`)
    expect(await child.nextLine()).toBe('done')
    expect(await child.exited).toBe(0)
  })
})
