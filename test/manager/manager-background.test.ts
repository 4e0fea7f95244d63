/** What goes on behind the logs, by Kafka's intervals, in a time that the test moves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import type { LogManagerOptions } from '../../lib/manager/manager-options.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { startChild } from '../support/child.js'
import { closeLater, numbered } from '../support/log.js'
import { START_MS, TestClock } from '../support/machine.js'
import { named } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'
import { watchedManager } from '../support/watched-manager.js'

/** The checkpoints written among `steps`. */
function checkpointsIn(steps: readonly string[]): string[] {
  const written = steps.flatMap((step) => /^rename (.*)-offset-checkpoint\.tmp$/.exec(step)?.[1] ?? [])
  return written.sort()
}

describe('the first runs', () => {
  test('come 30 seconds after the start, all of them', async () => {
    const { manager, pass } = await watchedManager({ config: { retentionMs: 1_000 } })
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
    const { manager, pass } = await watchedManager({ manager: { initialTaskDelayMs: 500 } })
    await (await manager.createLog(named('orders-0'))).append(numbered(1, 0, START_MS)).durable()
    expect(checkpointsIn(await pass(499))).toEqual([])
    expect(checkpointsIn(await pass(1))).toEqual(expect.arrayContaining(['recovery-point', 'replication']))
  })
})

describe('the checkpoint', () => {
  /** After the first runs, with something new for each kind. */
  async function changed(options: Partial<LogManagerOptions> = {}) {
    const all = await watchedManager(options)
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

  const lineIn = (directory: string, kind: string) =>
    readFileSync(join(directory, `${kind}-offset-checkpoint`), 'latin1').split('\n')[2]

  /** A cut of a log in a machine that holds the first write of it: what the log still shows is out of date. */
  const cuts = [
    ['start', 'log-start', 'orders 0 7', (log: PartitionLog) => log.deleteRecordsBefore(7)],
    ['end', 'recovery-point', 'orders 0 4', (log: PartitionLog) => log.truncateTo(4)],
  ] as const

  test.each(cuts)(
    'leaves out a log whose %s is being moved: what is on its way to the disk is newer',
    async (_, kind, line, cut) => {
      const { directory, machine, manager, log } = await changed()
      for (let n = 1; n < 10; n++) log.append(numbered(1, n))
      await log.flush()
      const hold = machine.hold(new RegExp(`^flushPath ${kind}-offset-checkpoint\\.tmp`))
      const cutting = cut(log)
      await hold.reached
      const checkpointing = manager.checkpoint()
      await turns(20)
      hold.release()
      await Promise.all([cutting, checkpointing])
      expect(lineIn(directory, kind)).toBe(line)
    },
  )
})

describe('flushing by time', () => {
  test('is done once flush.ms has passed, at the scheduler’s next run', async () => {
    const { manager, pass } = await watchedManager({
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
    const { manager, pass } = await watchedManager()
    const log = await manager.createLog(named('orders-0'))
    log.append(numbered(1, 0, START_MS))
    await pass(86_400_000)
    expect(log.offsets.durableOffset).toBe(0n)
  })
})

test('a log that is being closed, deleted or cut when its turn comes is no failure', async () => {
  const { manager, machine, of, pass } = await watchedManager({
    manager: { flushSchedulerIntervalMs: 1_000, initialTaskDelayMs: 1_000, retentionCheckIntervalMs: 1_000 },
    config: { flushMs: 1, retentionMs: 1 },
  })
  const logs: PartitionLog[] = []
  for (const name of ['a-0', 'b-0', 'c-0']) {
    const log = await manager.createLog(named(name))
    for (let n = 0; n < 4; n++) log.append(numbered(1, n, START_MS))
    logs.push(log)
  }
  const [closing, , cutting] = logs as [PartitionLog, PartitionLog, PartitionLog]
  const holds = [/^rename recovery-point/, /^rename b-0/, /^lane-read 0\.log/].map((event) =>
    machine.hold(event),
  )
  const works = [closing.close(), manager.deleteLog(named('b-0')), cutting.truncateTo(2)]
  ;(machine.clock as TestClock).advance(1_000)
  await turns(500)
  for (const hold of holds) hold.release()
  await Promise.all(works)
  await pass(1_000)
  expect(of('error')).toEqual([])
  expect([cutting.state, cutting.offsets.logStartOffset]).toEqual(['open', 2n])
})

test('nothing runs any more once the manager is closed', async () => {
  const { manager, clock, machine, pass } = await watchedManager({
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
  const directory = memoryDir()
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
      const directory = ${JSON.stringify(memoryDir())}
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
