/** Retention beside reads, flushes, truncations, checkpoints and itself: each sees a log that is whole. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rawBatch } from '../support/batches.js'
import { codeOf } from '../support/errors.js'
import { numbered, values } from '../support/log.js'
import { TestClock } from '../support/machine.js'
import { named, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import {
  basesOf,
  FIRST_MS,
  type SegmentedOptions,
  segmentedLogOn,
  segmentFilesOf,
  TWO_BATCHES,
} from '../support/segmented-log.js'
import { coldBackend, swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'

/** A log on a machine whose steps can be held; with `cold`, its reads too. */
function heldLog(options: SegmentedOptions = {}, cold = false) {
  const directory = options.directory ?? memoryDir()
  const backend = cold ? coldBackend() : swiftBackend()
  const machine = new RecordingMachine(directory, { clock: new TestClock(), backend })
  return segmentedLogOn(machine, { ...options, directory })
}

const keepTwo = { config: { retentionBytes: 200 } }

describe('a read', () => {
  test('that has begun ends with its bytes; the next is out of range', async () => {
    const { log, machine } = await heldLog(keepTwo, true)
    const hold = machine.hold(/^lane-read 0\.log/)
    const fetching = log.fetch(0)
    await turns(3)
    const retaining = log.runRetention()
    await turns(10)
    hold.release()
    const { batches, logStartOffset } = await fetching
    expect(batches).toHaveLength(144)
    expect(logStartOffset).toBe(0n)
    await retaining
    for (const call of [() => log.fetch(0), async () => log.fetchSync(0), async () => log.locate(3)]) {
      expect(await codeOf(call)).toBe('ERR_OFFSET_OUT_OF_RANGE')
    }
    expect(await values(log.read())).toEqual(['v4', 'v5', 'v6', 'v7'])
  })

  test('goes on to the end of its chunk, and then is told, or goes on at the new start', async () => {
    const { log } = await heldLog(keepTwo)
    const [strict, lenient] = ['throw', 'earliest'].map((onOutOfRange) =>
      log.read({ maxBytes: 144, onOutOfRange: onOutOfRange as 'throw' })[Symbol.asyncIterator](),
    )
    for (const reader of [strict, lenient]) expect((await reader?.next())?.value?.offset).toBe(0n)
    await log.runRetention()
    for (const reader of [strict, lenient]) expect((await reader?.next())?.value?.offset).toBe(1n)
    expect(await codeOf(() => strict?.next())).toBe('ERR_OFFSET_OUT_OF_RANGE')
    expect((await lenient?.next())?.value?.offset).toBe(4n)
  })

  test('that was on its way over a gap into a segment that went is out of range', async () => {
    const { log, machine } = await heldLog({ segments: 0, config: { retentionMs: 50 } }, true)
    const batches = [0n, 1n, 10n, 11n, 20n].map((baseOffset) =>
      rawBatch({
        baseOffset,
        payloadBytes: 11,
        maxTimestamp: baseOffset < 20n ? BigInt(FIRST_MS) : BigInt(FIRST_MS + 100),
      }),
    )
    for (const batch of batches) log.appendBatches(batch, { origin: 'follower' })
    expect(basesOf(log)).toEqual([0, 10, 20])
    const hold = machine.hold(/^lane-read 0\.log/)
    const fetching = log.fetch(5)
    await turns(3)
    await log.runRetention()
    expect(basesOf(log)).toEqual([20])
    hold.release()
    expect(await codeOf(() => fetching)).toBe('ERR_OFFSET_OUT_OF_RANGE')
  })

  test('by time looks anew where what it searched went', async () => {
    const { log, machine } = await heldLog(keepTwo, true)
    for (const [time, event] of [
      [FIRST_MS, /^lane-read 0\.log/],
      [FIRST_MS + 3, /^lane-read 2\.log/],
    ] as const) {
      const hold = machine.hold(event)
      const looking = log.offsetForTimestamp(time)
      await turns(5)
      await log.runRetention()
      hold.release()
      expect(await looking).toMatchObject({ offset: 4n })
    }
    expect(await log.offsetForMaxTimestamp()).toMatchObject({ offset: 7n })
  })

  test('by a follower at the end goes on', async () => {
    const { log } = await heldLog({ config: { retentionBytes: 0 } })
    const reader = log.read({ from: 'latest', follow: true })[Symbol.asyncIterator]()
    const next = reader.next()
    await log.runRetention()
    log.append(numbered(1, 8))
    expect((await next).value?.value?.toString()).toBe('v8')
    await reader.return?.()
  })
})

describe('a flush', () => {
  test('known fault 115: goes on without the segments that went before their turn', async () => {
    const { log, machine, offline } = await heldLog({ segments: 20, ...keepTwo })
    const hold = machine.hold(/^flush 0\.log/)
    const flushing = log.flush()
    await hold.reached
    const retaining = log.runRetention()
    await until(() => segmentFilesOf(log).includes('34.log.deleted'))
    hold.release()
    await Promise.all([flushing, retaining])
    expect([log.state, offline]).toEqual(['open', []])
    expect(log.offsets).toMatchObject({ durableOffset: 40n, recoveryPoint: 40n })
  })

  test('known fault 115: and a close beside it end well', async () => {
    const { log, offline } = await heldLog({ segments: 20, ...keepTwo })
    const durable = log.append(numbered(1, 40, FIRST_MS)).durable()
    const results = await Promise.allSettled([durable, log.runRetention(), log.flush(), log.close()])
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'fulfilled'))
    expect(offline).toEqual([])
  })
})

describe('an append', () => {
  test('known fault 194d: beside the deletion of everything lands behind it, and is kept', async () => {
    const { log, machine } = await heldLog({ config: { retentionBytes: 0 } })
    const hold = machine.hold(/^rename 6\.log/)
    const deleting = log.deleteRecordsBefore(-1)
    const retaining = log.runRetention()
    expect(log.append(numbered(1, 8, FIRST_MS)).baseOffset).toBe(8n)
    await hold.reached
    expect(log.append(numbered(1, 9, FIRST_MS)).baseOffset).toBe(9n)
    hold.release()
    await Promise.all([deleting, retaining])
    await log.flush()
    expect(await values(log.read())).toEqual(['v8', 'v9'])
    expect(log.offsets).toMatchObject({ logStartOffset: 8n, logEndOffset: 10n })
  })
})

describe('another check', () => {
  test('known fault 116: at the same time takes nothing twice', async () => {
    const { log, lines } = await heldLog(keepTwo)
    const results = await Promise.all([log.runRetention(), log.runRetention(), log.runRetention()])
    expect(results.map(({ deletions }) => deletions.length)).toEqual([2, 0, 0])
    expect(lines.filter((line) => line.startsWith('info Deleting segment LogSegment'))).toHaveLength(2)
  })

  test('known fault 116: while the files of the one before are renamed takes what is due by then', async () => {
    const { log, machine } = await heldLog(keepTwo)
    const hold = machine.hold(/^rename 0\.log/)
    const first = log.runRetention()
    await hold.reached
    for (let n = 8; n < 12; n++) log.append(numbered(1, n, FIRST_MS))
    const second = log.runRetention()
    await turns(10)
    hold.release()
    expect((await first).deletions).toHaveLength(2)
    expect((await second).deletions).toHaveLength(2)
    expect(basesOf(log)).toEqual([8, 10])
    expect(segmentFilesOf(log).filter((name) => /^\d+\.log/.test(name))).toEqual(
      ['0', '2', '4', '6']
        .map((base) => `${base}.log.deleted`)
        .concat('10.log', '8.log')
        .sort(),
    )
  })
})

describe('a truncation', () => {
  test('known fault 116: back to where deleted segments began takes no file of theirs, and loses none of its own', async () => {
    const { log, machine, directory } = await heldLog(keepTwo)
    await log.flush()
    const hold = machine.hold(/^rename 0\.log/)
    const retaining = log.runRetention()
    await hold.reached
    // A new first segment, by the very name that is being taken away.
    const truncating = log.truncateTo(0)
    await turns(3_000)
    hold.release()
    await Promise.all([retaining, truncating])
    expect([basesOf(log), log.offsets.logEndOffset]).toEqual([[0], 0n])
    await log.append(numbered(1, 0, FIRST_MS)).durable()
    expect(segmentFilesOf(log)).toContain('0.log')
    ;(machine.clock as TestClock).advance(60_000)
    await until(() => segmentFilesOf(log).every((name) => !name.endsWith('.deleted')))
    await log.close()
    const manager = await testManager({ logDirs: [directory] })
    expect(await values((manager.getLog(named('orders-0')) ?? expect.fail()).read())).toEqual(['v0'])
  })

  test('under way keeps a check out', async () => {
    const { log, machine } = await heldLog(keepTwo)
    const hold = machine.hold(/^rename 6\.log/)
    const truncating = log.truncateTo(5)
    await hold.reached
    expect(await codeOf(() => log.runRetention())).toBe('ERR_OFFSET_CONFLICT')
    hold.release()
    await truncating
    expect(log.offsets.logEndOffset).toBe(5n)
  })
})

describe('the checkpoint of log starts', () => {
  const lines = (directory: string) =>
    readFileSync(join(directory, 'log-start-offset-checkpoint'), 'latin1').split('\n').slice(2, -1)

  /** In a manager, which writes checkpoints behind the log. */
  async function managed() {
    const directory = memoryDir()
    const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
    const manager = await testManager({ logDirs: [directory], machine, config: TWO_BATCHES })
    const log = await manager.createLog(named('orders-0'))
    for (let n = 0; n < 8; n++) log.append(numbered(1, n, FIRST_MS))
    return { directory, machine, manager, log }
  }

  test('holds the start until the deleted segments cannot come back', async () => {
    const { directory, machine, manager, log } = await managed()
    await log.deleteRecordsBefore(4)
    expect(lines(directory)).toEqual(['orders 0 4'])
    const hold = machine.hold(/^rename 0\.log/)
    const retaining = log.runRetention()
    await hold.reached
    // The log begins with the segment at 4 now, but a stop would bring the older ones back.
    await manager.checkpoint()
    expect(lines(directory)).toEqual(['orders 0 4'])
    hold.release()
    await retaining
    await manager.checkpoint()
    expect(lines(directory)).toEqual([])
  })

  test('holds the start also beside a truncation, as long as deleted segments can come back', async () => {
    const { directory, machine, log } = await managed()
    await log.updateConfig({ retentionBytes: 200 })
    await log.deleteRecordsBefore(1)
    expect(lines(directory)).toEqual(['orders 0 1'])
    const hold = machine.hold(/^rename 0\.log/)
    const retaining = log.runRetention()
    await hold.reached
    const truncating = log.truncateTo(6)
    await turns(3_000)
    // A stop here brings the segment at 0 back: the record that was deleted from it must not be.
    expect(lines(directory)).toEqual(['orders 0 1'])
    hold.release()
    await Promise.all([retaining, truncating])
    expect([basesOf(log), log.offsets.logEndOffset]).toEqual([[4, 6], 6n])
    expect(lines(directory)).toEqual([])
  })

  test('holds the largest of the starts that deleteRecordsBefore was asked for at once', async () => {
    const { directory, log } = await managed()
    const starts = await Promise.all([3, 5, 2].map((offset) => log.deleteRecordsBefore(offset)))
    expect(starts).toEqual([3n, 5n, 5n])
    expect(log.offsets.logStartOffset).toBe(5n)
    expect(lines(directory)).toEqual(['orders 0 5'])
  })

  test('never falls behind a start that deleteRecordsBefore has made durable', async () => {
    const { directory, machine, manager, log } = await managed()
    const hold = machine.hold(/^flushPath log-start-offset-checkpoint\.tmp/)
    const deleting = log.deleteRecordsBefore(5)
    await hold.reached
    const checkpointing = manager.checkpoint()
    await turns(20)
    hold.release()
    await Promise.all([deleting, checkpointing])
    expect(lines(directory)).toEqual(['orders 0 5'])
  })
})
