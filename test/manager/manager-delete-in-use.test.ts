/** A log that is deleted while it is read, written, flushed, cut or retained: each gets an answer, none does harm. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { codeOf, rejection } from '../support/errors.js'
import { collect, numbered } from '../support/log.js'
import { TestClock } from '../support/machine.js'
import { named, type Told, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns } from '../support/turns.js'

const orders = named('orders-0')

/** A log of four segments, two batches each, on a machine whose steps a test can hold. */
async function logInUse(config = {}) {
  const directory = memoryDir()
  const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
  const offline: Told[] = []
  const manager = await testManager({
    logDirs: [directory],
    machine,
    offline,
    config: { internalSegmentBytes: 180, indexIntervalBytes: 0, ...config },
  })
  const log = await manager.createLog(orders)
  for (let n = 0; n < 8; n++) log.append(numbered(1, n))
  expect(log.segments).toHaveLength(4)
  return {
    directory,
    machine,
    manager,
    log,
    /** Nothing stays open, nothing of the log stays but what waits for removal, and the directory goes on. */
    async expectGone() {
      expect(log.state).toBe('closed')
      expect(existsSync(log.path)).toBe(false)
      if (canSeeDescriptors) expect(openBelow(log.path)).toEqual([])
      expect(offline).toEqual([])
      const again = await manager.createLog(orders)
      again.append(numbered(1))
      await manager.close()
      expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(true)
      const left = readdirSync(directory).filter((name) => name.startsWith('orders-0'))
      expect(left.filter((name) => !name.endsWith('-delete'))).toEqual(['orders-0'])
    },
  }
}

describe('a log that is deleted while it is', () => {
  test('read: who holds a chunk may finish it, the next is refused', async () => {
    const { manager, log, expectGone } = await logInUse()
    const reading = log.read({ maxBytes: 1 })[Symbol.asyncIterator]()
    expect((await reading.next()).value?.offset).toBe(0n)
    await manager.deleteLog(orders)
    expect(await codeOf(() => reading.next())).toBe('ERR_CLOSED')
    await expectGone()
  })

  test('fetched: a read on its way to the disk ends, with its bytes or as a closed log’s', async () => {
    const { machine, manager, log, expectGone } = await logInUse()
    // The portable backend always asks the thread, the native one where the page cache has nothing.
    const hold = machine.hold(/^lane-read 2\.log/)
    const fetching = log.fetch(2).then(
      ({ batches }) => batches.length,
      (error) => error.code,
    )
    await turns(3)
    const deleting = manager.deleteLog(orders)
    await turns(20)
    hold.release()
    expect([144, 'ERR_CLOSED']).toContain(await fetching)
    expect(await deleting).toBe(true)
    await expectGone()
  })

  test('followed: who waits is told', async () => {
    const { manager, log, expectGone } = await logInUse()
    const following = collect(log.read({ from: 'latest', follow: true }))
    const durably = collect(log.read({ from: 'latest', follow: true, durable: true }))
    following.catch(() => undefined)
    durably.catch(() => undefined)
    await turns(3)
    await manager.deleteLog(orders)
    expect(await codeOf(() => following)).toBe('ERR_CLOSED')
    expect(await codeOf(() => durably)).toBe('ERR_CLOSED')
    await expectGone()
  })

  test('known fault 115: flushed, and the flush that lost its files takes nothing offline', async () => {
    const { machine, manager, log, expectGone } = await logInUse()
    const hold = machine.hold(/^flush 0\.log/)
    const waiting = [log.flush(), log.whenDurable(7), log.append(numbered(1, 8)).durable()]
    const ended = Promise.allSettled(waiting)
    await hold.reached
    const deleting = manager.deleteLog(orders)
    await turns(20)
    hold.release()
    expect(await deleting).toBe(true)
    for (const result of await ended) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'ERR_CLOSED' })
    }
    await expectGone()
  })

  test('known fault 115: about to be flushed when its time has come', async () => {
    const { machine, manager, log, expectGone } = await logInUse()
    const flushing = log.flush().catch((error) => expect(error.code).toBe('ERR_CLOSED'))
    await manager.deleteLog(orders)
    await flushing
    ;(machine.clock as TestClock).advance(60_000)
    await turns(20)
    await expectGone()
  })

  test('appended to: what had not been written is refused', async () => {
    const { manager, log, expectGone } = await logInUse()
    const appender = log.appender({ lingerMs: 1_000 })
    const sent = [appender.send({ value: 'a' }), appender.send({ value: 'b' })]
    const ended = Promise.allSettled(sent)
    await manager.deleteLog(orders)
    expect(await codeOf(async () => log.append(numbered(1)))).toBe('ERR_CLOSED')
    await appender.close().catch((error) => expect(error.code).toBe('ERR_CLOSED'))
    for (const result of await ended)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'ERR_CLOSED' } })
    await expectGone()
  })

  /** Work that the deletion has to wait for, since it renames or rewrites the log's files. */
  const works: [name: string, event: RegExp, work: (log: PartitionLog) => Promise<unknown>][] = [
    ['retained', /^rename 0\.index/, (log) => log.runRetention()],
    ['truncated', /^rename 6\.log/, (log) => log.truncateTo(5)],
    ['truncated, its offsets being saved', /^rename log-start/, (log) => log.truncateTo(5)],
    ['told to delete records', /^rename log-start/, (log) => log.deleteRecordsBefore(3)],
  ]

  test.each(works)('known fault 116: %s: that ends first', async (_, event, work) => {
    const { machine, manager, log, expectGone } = await logInUse({ retentionBytes: 200 })
    const hold = machine.hold(event)
    const working = work(log)
    await hold.reached
    let isDeleted = false
    const deleting = manager.deleteLog(orders).then((deleted) => {
      isDeleted = deleted
    })
    await turns(20)
    expect([isDeleted, existsSync(log.path)]).toEqual([false, true])
    hold.release()
    // What comes last in it may find the log closed.
    await working.catch((error) => expect(error.code).toBe('ERR_CLOSED'))
    await deleting
    expect(isDeleted).toBe(true)
    await expectGone()
  })

  test.each(works)('known fault 116: %s after the deletion began: it is refused', async (_, __, work) => {
    const { manager, log, expectGone } = await logInUse({ retentionBytes: 200 })
    const deleting = manager.deleteLog(orders)
    await turns(1)
    expect(await rejection(() => work(log))).toMatchObject({ code: 'ERR_CLOSED' })
    await deleting
    await expectGone()
  })

  test('waiting for the files of deleted segments to be removed', async () => {
    const { machine, manager, log, expectGone } = await logInUse({ retentionBytes: 200 })
    await log.runRetention()
    const hold = machine.hold(/^remove 0\.log\.deleted/)
    ;(machine.clock as TestClock).advance(60_000)
    await hold.reached
    const deleting = manager.deleteLog(orders)
    await turns(20)
    hold.release()
    expect(await deleting).toBe(true)
    await expectGone()
  })
})
