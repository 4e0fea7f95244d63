import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, test } from 'vitest'
import { numbered, testLog } from '../support/log.js'

describe('durability', () => {
  test('an append is durable when its promise resolves, not before', async () => {
    const log = await testLog()
    const { durable } = log.append(numbered(3))
    expect(log.offsets).toMatchObject({ durableOffset: 0n, recoveryPoint: 0n })
    await durable()
    expect(log.offsets).toMatchObject({ durableOffset: 3n, recoveryPoint: 3n })
  })

  test('appends in flight share one flush', async () => {
    const log = await testLog()
    let flushes = 0
    const count = (message: unknown) => {
      if ((message as { log: string }).log === log.name) flushes++
    }
    subscribe('partition-log:flush', count)
    try {
      await Promise.all(Array.from({ length: 100 }, (_, n) => log.append(numbered(1, n)).durable()))
    } finally {
      unsubscribe('partition-log:flush', count)
    }
    expect(flushes).toBe(1)
    expect(log.offsets.durableOffset).toBe(100n)
  })

  test('whenDurable waits for an offset that is there, and refuses one that is not', async () => {
    const log = await testLog()
    log.append(numbered(3))
    await log.whenDurable(1)
    expect(log.offsets.durableOffset).toBe(3n)
    await expect(log.whenDurable(3)).rejects.toMatchObject({ code: 'ERR_OFFSET_OUT_OF_RANGE' })
  })

  test('known fault 197: a roll flushes the old segment behind the append, and the recovery point follows', async () => {
    const log = await testLog({ config: { internalSegmentBytes: 400 } })
    while (log.segments.length < 3) log.append(numbered(2))
    const sealedEnd = log.segments[2]?.baseOffset as bigint
    await log.whenDurable(sealedEnd - 1n)
    expect(log.offsets.recoveryPoint).toBeGreaterThanOrEqual(sealedEnd)
  })

  test('flush.messages flushes without being asked', async () => {
    const log = await testLog({ config: { flushMessages: 5 } })
    log.append(numbered(4))
    log.append(numbered(1))
    const { durableOffset } = await nextFlush(log.name)
    expect(durableOffset).toBe(5n)
  })

  test('flush makes everything durable', async () => {
    const log = await testLog()
    log.append(numbered(3))
    await log.flush()
    expect(log.offsets.durableOffset).toBe(3n)
    await log.flush()
  })
})

function nextFlush(name: string): Promise<{ durableOffset: bigint }> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      const flush = message as { log: string; durableOffset: bigint }
      if (flush.log !== name) return
      unsubscribe('partition-log:flush', listen)
      resolve(flush)
    }
    subscribe('partition-log:flush', listen)
  })
}
