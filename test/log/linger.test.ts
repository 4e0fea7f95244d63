/** What the appender waits for: time, room, the size of a batch. */
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { startChild } from '../support/child.js'
import { closeLater, collect, testLog, values } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { fcOptions } from '../support/random.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'

/** Whether `promise` has settled by the end of some turns of the event loop. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  for (let turn = 0; turn < 5; turn++) await new Promise((resume) => setImmediate(resume))
  return isSettled
}

async function clockedLog() {
  const machine = testMachine()
  const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0')))
  return { clock: machine.clock, log }
}

const counts = async (log: PartitionLog) => (await collect(log.read().batches())).map(({ count }) => count)

describe('linger', () => {
  test('ends by itself when its time has passed, counted from the first send', async () => {
    const { clock, log } = await clockedLog()
    const appender = log.appender({ lingerMs: 50 })
    const first = appender.send({ value: 'a' })
    clock.advance(30)
    const second = appender.send({ value: 'b' })
    clock.advance(19)
    expect(await hasSettled(Promise.race([first, second]))).toBe(false)
    expect(log.offsets.logEndOffset).toBe(0n)
    clock.advance(1)
    expect(await Promise.all([first, second])).toEqual([{ offset: 0n }, { offset: 1n }])
    expect(await counts(log)).toEqual([2])
  })

  test('begins anew with each batch, and a full batch does not wait for it', async () => {
    const { clock, log } = await clockedLog()
    const appender = log.appender({ lingerMs: 50, batchBytes: 300 })
    const first = appender.send({ value: 'x'.repeat(150) })
    clock.advance(30)
    expect(await hasSettled(first)).toBe(false)
    const second = appender.send({ value: 'y'.repeat(150) })
    expect(await first).toEqual({ offset: 0n })
    for (const ms of [20, 29]) {
      clock.advance(ms)
      expect(await hasSettled(second)).toBe(false)
    }
    clock.advance(1)
    expect(await second).toEqual({ offset: 1n })
    const later = appender.send({ value: 'z' })
    expect(await hasSettled(later)).toBe(false)
    clock.advance(50)
    expect(await later).toEqual({ offset: 2n })
  })

  test('keeps the process alive until the record is written', async () => {
    const path = join(tempDir(), 'orders-0')
    const index = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href
    const child = startChild(`
      import { openLog } from ${JSON.stringify(index)}
      const log = await openLog(${JSON.stringify(path)}, { backend: process.env.PARTITION_LOG_BACKEND })
      const { offset } = await log.appender({ lingerMs: 60, durable: true }).send({ value: 'late' })
      say('sent ' + offset)`)
    expect(await child.nextLine()).toBe('sent 0')
    expect(await child.exited).toBe(0)
    const log = await testLog({ path, readOnly: true })
    expect(await values(log.read())).toEqual(['late'])
  })
})

describe('back-pressure', () => {
  test('a send waits until room is made, and not longer', async () => {
    const path = join(tempDir(), 'orders-0')
    const { clock } = testMachine()
    const machine = new RecordingMachine(join(path, '..'), { clock })
    const log = closeLater(await openLogOn(machine, path))
    const appender = log.appender({ lingerMs: 1_000, maxPendingBytes: 400 })
    const sends = Array.from({ length: 7 }, (_, n) => appender.send({ value: `${n}`.repeat(100) }))
    const [first, , , fourth, , , seventh] = sends as [Promise<unknown>, ...Promise<unknown>[]]
    expect(await hasSettled(Promise.race(sends))).toBe(false)
    machine.taken()
    clock.advance(1_000)
    await first
    expect(await hasSettled(fourth as Promise<unknown>)).toBe(false)
    expect(log.offsets.logEndOffset).toBe(3n)
    clock.advance(1_000)
    await fourth
    expect(log.offsets.logEndOffset).toBe(6n)
    expect(await hasSettled(seventh as Promise<unknown>)).toBe(false)
    clock.advance(1_000)
    expect(await seventh).toEqual({ offset: 6n })
    expect(machine.taken()).toEqual(['append 0.log', 'append 0.log', 'append 0.log'])
  })

  test('a record larger than all the room goes alone', async () => {
    const log = await testLog()
    const appender = log.appender({ maxPendingBytes: 10 })
    const sends = Array.from({ length: 3 }, (_, n) => appender.send({ value: `${n}`.repeat(100) }))
    expect(await Promise.all(sends)).toEqual([{ offset: 0n }, { offset: 1n }, { offset: 2n }])
    expect(await counts(log)).toEqual([1, 1, 1])
  })

  test('flush carries those that wait along', async () => {
    const { log } = await clockedLog()
    const appender = log.appender({ lingerMs: 1_000, maxPendingBytes: 250 })
    const sends = Array.from({ length: 9 }, (_, n) => appender.send({ value: `${n}`.repeat(100) }))
    await appender.flush()
    expect(log.offsets.logEndOffset).toBe(9n)
    expect((await Promise.all(sends)).map(({ offset }) => Number(offset))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8,
    ])
  })
})

describe('a batch is never larger than the log takes', () => {
  test('sends that only fit apart are sent apart', async () => {
    const log = await testLog({ config: { maxMessageBytes: 2_000 } })
    const appender = log.appender()
    const sends = Array.from({ length: 10 }, () => appender.send({ value: 'x'.repeat(500) }))
    expect(await Promise.all(sends)).toHaveLength(10)
    const batches = await collect(log.read().batches())
    expect(Math.max(...batches.map(({ sizeInBytes }) => sizeInBytes))).toBeLessThanOrEqual(2_000)
    expect(batches.map(({ count }) => count)).toEqual([3, 3, 3, 1])
  })

  test('records are counted with what their distance in time and offset takes', async () => {
    const log = await testLog({ config: { maxMessageBytes: 400 } })
    const appender = log.appender()
    const sends = Array.from({ length: 90 }, (_, n) =>
      appender.send({ value: '', timestamp: n % 2 === 0 ? 0 : 1_700_000_000_000 }),
    )
    expect(await Promise.all(sends)).toHaveLength(90)
  })

  const record = fc.record({
    value: fc.integer({ min: 0, max: 230 }).map((length) => 'v'.repeat(length)),
    timestamp: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constant(-1), fc.constant(1_700_000_000_000)),
  })
  const setting = fc.constantFrom({ maxMessageBytes: 400 }, { internalSegmentBytes: 400 })

  test('whatever the records and their times', async () => {
    const property = fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 40 }),
      setting,
      async (records, config) => {
        const log = await testLog({ config })
        const appender = log.appender()
        const sent = await Promise.all(records.map((one) => appender.send(one)))
        expect(sent.map(({ offset }) => Number(offset))).toEqual(records.map((_, n) => n))
        expect(await values(log.read())).toEqual(records.map(({ value }) => value))
        await log.close()
      },
    )
    await fc.assert(property, fcOptions(12))
  })
})
