import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { faultyMachine } from '../support/faulty-machine.js'
import { closeLater, collect, testLog, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

function sends(count: number, from = 0) {
  return Array.from({ length: count }, (_, n) => ({ key: null, value: `v${from + n}` }))
}

describe('appender', () => {
  test('gathers the sends of one turn into one batch, in order', async () => {
    const log = await testLog()
    const appender = log.appender()
    const sent = await Promise.all(sends(10).map((record) => appender.send(record)))
    expect(sent.map(({ offset }) => offset)).toEqual(Array.from({ length: 10 }, (_, n) => BigInt(n)))
    expect((await collect(log.read().batches())).map(({ count }) => count)).toEqual([10])
    expect(await values(log.read())).toEqual(sends(10).map(({ value }) => value))
  })

  test('sends a batch at once when it is full', async () => {
    const log = await testLog()
    const appender = log.appender({ batchBytes: 200 })
    await Promise.all(sends(50).map((record) => appender.send(record)))
    const counts = (await collect(log.read().batches())).map(({ count }) => count)
    expect(counts.length).toBeGreaterThan(1)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50)
    expect(await values(log.read())).toEqual(sends(50).map(({ value }) => value))
  })

  test('keeps the order while batches are compressed off the loop', async () => {
    await loadCodec('gzip')
    const log = await testLog()
    const appender = log.appender({ compression: 'gzip', batchBytes: 500 })
    const large = { key: null, value: 'x'.repeat(200_000) }
    const records = [large, ...sends(300)]
    const sent = await Promise.all(records.map((record) => appender.send(record)))
    expect(sent.map(({ offset }) => offset)).toEqual(records.map((_, n) => BigInt(n)))
    expect(await values(log.read())).toEqual(records.map(({ value }) => value))
    expect((await collect(log.read().batches())).every(({ codec }) => codec === 'gzip')).toBe(true)
  })

  test('lingers until flush or close', async () => {
    const log = await testLog()
    const appender = log.appender({ lingerMs: 1_000_000 })
    const sent = appender.send({ value: 'a' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(log.offsets.logEndOffset).toBe(0n)
    await appender.flush()
    expect(await sent).toEqual({ offset: 0n })
    const last = appender.send({ value: 'b' })
    await appender.close()
    expect(await last).toEqual({ offset: 1n })
    await expect(appender.send({ value: 'c' })).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  test('durable sends resolve on disk', async () => {
    const log = await testLog()
    const appender = log.appender({ durable: true })
    await Promise.all(
      sends(5).map(async (record) => {
        const { offset } = await appender.send(record)
        expect(log.offsets.durableOffset).toBeGreaterThan(offset)
      }),
    )
  })

  test('a send waits while too many bytes are under way, and none is lost', async () => {
    const log = await testLog()
    const appender = log.appender({ maxPendingBytes: 100, batchBytes: 50 })
    await Promise.all(sends(200).map((record) => appender.send(record)))
    expect(await values(log.read())).toEqual(sends(200).map(({ value }) => value))
  })

  test('refuses a bad record alone', async () => {
    const log = await testLog()
    const appender = log.appender()
    const outcome = await Promise.allSettled([
      appender.send({ value: 'a' }),
      appender.send({ value: 5 as never }),
      appender.send({ value: 'b' }),
    ])
    expect(outcome.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await values(log.read())).toEqual(['a', 'b'])
  })

  test('refuses a record alone that no batch could hold', async () => {
    const log = await testLog({ config: { maxMessageBytes: 300 } })
    const appender = log.appender()
    const outcome = await Promise.allSettled([
      appender.send({ value: 'a' }),
      appender.send({ value: 'x'.repeat(400) }),
      appender.send({ value: 'b', timestamp: Date.now() + 10_000_000 }),
      appender.send({ value: 'c' }),
    ])
    expect(outcome.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(await values(log.read())).toEqual(['a', 'c'])
  })

  test('after a failed append, what was sent behind it fails too; later sends go on', async () => {
    const faults = faultyMachine()
    const log = closeLater(await openLogOn(faults.machine, join(tempDir(), 'orders-0')))
    const appender = log.appender({ batchBytes: 1 })
    faults.failAppend(2, 'ENOSPC')
    const outcome = await Promise.allSettled(sends(5).map((record) => appender.send(record)))
    expect(outcome.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
    ])
    await appender.send({ value: 'later' })
    expect(await values(log.read())).toEqual(['v0', 'later'])
  })

  test('a closed log rejects what was sent', async () => {
    const log = await testLog()
    const appender = log.appender({ lingerMs: 1_000_000 })
    const sent = expect(appender.send({ value: 'a' })).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await log.close()
    await appender.close()
    await sent
  })
})
