import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { collect, numbered, testLog } from '../support/log.js'

/** Every public method, as a caller would use it. */
const calls: [name: string, call: (log: PartitionLog) => unknown, writes: boolean][] = [
  ['append', (log) => log.append(numbered(1)), true],
  ['appendBatches', (log) => log.appendBatches(new Uint8Array(), { origin: 'leader' }), true],
  ['appender', (log) => log.appender(), true],
  ['flush', (log) => log.flush(), true],
  ['roll', (log) => log.roll(), true],
  ['truncateTo', (log) => log.truncateTo(0), true],
  ['deleteRecordsBefore', (log) => log.deleteRecordsBefore(0), true],
  ['setHighWatermark', (log) => log.setHighWatermark(0), true],
  ['read', async (log) => collect(log.read()), false],
  ['batches', async (log) => collect(log.read().batches()), false],
  ['fetch', (log) => log.fetch(0), false],
  ['fetchSync', (log) => log.fetchSync(0), false],
  ['locate', (log) => log.locate(0), false],
  ['explain', (log) => log.explain(), false],
  ['runRetention', (log) => log.runRetention(), true],
  ['offsetForTimestamp', (log) => log.offsetForTimestamp(0), false],
  ['offsetForMaxTimestamp', (log) => log.offsetForMaxTimestamp(), false],
  ['whenDurable', (log) => log.whenDurable(0), false],
]

describe('a closed log', () => {
  test.each(calls.filter(([name]) => name !== 'whenDurable'))('refuses %s', async (_, call) => {
    const log = await testLog()
    log.append(numbered(1))
    await log.close()
    expect(log.state).toBe('closed')
    await expect((async () => call(log))()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  test('refuses appends from the moment of the call, and close is idempotent', async () => {
    const log = await testLog()
    const closing = log.close()
    expect(() => log.append(numbered(1))).toThrowError(expect.objectContaining({ code: 'ERR_CLOSED' }))
    await Promise.all([closing, log.close()])
    await log[Symbol.asyncDispose]()
  })

  test('still tells its offsets, and that they are durable', async () => {
    const log = await testLog()
    const { durable } = log.append(numbered(2))
    await log.close()
    expect(log.offsets).toMatchObject({ logEndOffset: 2n, durableOffset: 2n })
    await log.whenDurable(1)
    await durable()
  })
})

describe('a read-only log', () => {
  test.each(calls)('%s', async (_, call, writes) => {
    const writer = await testLog()
    writer.append(numbered(1))
    await writer.close()
    const log = await testLog({ path: writer.path, readOnly: true })
    const outcome = (async () => call(log))()
    if (writes) await expect(outcome).rejects.toMatchObject({ code: 'ERR_READ_ONLY' })
    else await outcome
  })
})

describe('a log between two calls', () => {
  test.each(calls.filter(([name]) => name !== 'truncateTo' && name !== 'setHighWatermark'))(
    '%s while a reader iterates',
    async (_, call) => {
      const log = await testLog()
      for (let n = 0; n < 5; n++) log.append(numbered(2, n * 2))
      const seen: bigint[] = []
      for await (const { offset } of log.read({ to: 10 })) {
        if (offset === 3n) await call(log)
        seen.push(offset)
      }
      expect(seen).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n])
    },
  )
})
