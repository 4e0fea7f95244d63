/** Idempotent and transactional producers of a log, and readers of committed data. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { parseTransactionIndex } from '../../../lib/segment/transaction-index.js'
import { closeLater, numbered, testLog, values } from '../../support/log.js'
import { testMachine } from '../../support/machine.js'
import { tempDir } from '../../support/temp-dir.js'

const now = () => Date.now()
const committed = (log: PartitionLog) => values(log.read({ isolation: 'committed' }))
const one = (n: number) => numbered(1, n, now())

function indexOf({ path }: PartitionLog, base: bigint) {
  const file = join(path, `${String(base).padStart(20, '0')}.txnindex`)
  return existsSync(file) ? parseTransactionIndex(file, readFileSync(file), base) : undefined
}

describe('an idempotent append', () => {
  it('that is repeated is answered with its offsets of then, and nothing is written', async () => {
    const log = await testLog()
    const producer = { id: 5, epoch: 0, baseSequence: 0 }
    const first = log.append(numbered(3, 0, now()), { producer })
    log.append(one(9))
    const again = log.append(numbered(3, 0, now()), { producer })
    expect(again).toMatchObject({ baseOffset: first.baseOffset, lastOffset: 2n, duplicate: true })
    expect(first.duplicate).toBe(false)
    await again.durable()
    expect(log.offsets.logEndOffset).toBe(4n)
    expect(() => log.append(one(1), { producer: { ...producer, baseSequence: 7 } })).toThrow(
      expect.objectContaining({ code: 'ERR_OUT_OF_ORDER_SEQUENCE', expected: 3, actual: 7 }),
    )
    expect(() => log.append(one(1), { producer: { id: 5, epoch: 0, baseSequence: 2 } })).toThrow()
    log.append(one(1), { producer: { id: 5, epoch: 1, baseSequence: 0 } })
    expect(() => log.append(one(1), { producer: { ...producer, baseSequence: 3 } })).toThrow(
      expect.objectContaining({ code: 'ERR_PRODUCER_FENCED' }),
    )
  })
})

describe('log.producer', () => {
  it('counts sequences, and goes on where the log was closed', async () => {
    const log = await testLog()
    const p = log.producer({ id: 9n })
    p.append(numbered(3, 0, now()))
    p.append(one(3))
    expect([p.epoch, p.nextSequence]).toEqual([0, 4])
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.producer({ id: 9n }).nextSequence).toBe(4)
    again.producer({ id: 9n }).append(one(4))
    expect(again.producer({ id: 9n, epoch: 1 }).nextSequence).toBe(0)
  })

  it('does not count an append that was refused', async () => {
    const log = await testLog({ config: { cleanupPolicy: ['compact'] } })
    const p = log.producer({ id: 9n })
    expect(() => p.append([{ value: 'no key' }])).toThrow()
    expect(p.append(one(0))).toMatchObject({ baseOffset: 0n })
  })

  it('begins, commits and aborts, in this order only', async () => {
    const log = await testLog()
    const p = log.producer({ id: 9n })
    const wrong = expect.objectContaining({ code: 'ERR_INVALID_TRANSACTION_STATE' })
    expect(() => p.commit()).toThrow(wrong)
    p.begin()
    expect(() => p.begin()).toThrow(wrong)
    expect(p.commit()).toBeNull()
    p.begin()
    p.append(one(0))
    expect(p.inTransaction).toBe(true)
    expect(p.commit()).toMatchObject({ baseOffset: 1n })
    expect(log.offsets.lastStableOffset).toBe(2n)
  })

  it('finds a transaction open that an earlier process left, and may end it', async () => {
    const log = await testLog()
    const p = log.producer({ id: 9n })
    p.begin()
    p.append(one(0))
    await log.close()
    const again = await testLog({ path: log.path })
    const next = again.producer({ id: 9n })
    expect([next.inTransaction, next.nextSequence]).toEqual([true, 1])
    next.abort()
    expect(await committed(again)).toEqual([])
    expect(again.openTransactions()).toEqual([])
  })
})

describe('readers of committed data', () => {
  it('stop at the first open transaction, and skip what was aborted', async () => {
    const log = await testLog()
    const [a, b] = [log.producer({ id: 1n }), log.producer({ id: 2n })]
    log.append(one(0))
    a.begin()
    a.append(one(1))
    b.begin()
    b.append(one(2))
    log.append(one(3))
    expect(log.offsets.lastStableOffset).toBe(1n)
    expect(await committed(log)).toEqual(['v0'])
    b.abort()
    expect(log.offsets.lastStableOffset).toBe(1n)
    a.append(one(4))
    a.commit()
    expect(await committed(log)).toEqual(['v0', 'v1', 'v3', 'v4'])
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2', 'v3', 'v4'])
    const { abortedTransactions, lastStableOffset } = await log.fetch(0n, { isolation: 'committed' })
    expect([abortedTransactions, lastStableOffset]).toEqual([[{ producerId: 2n, firstOffset: 2n }], 7n])
    expect(log.fetchSync(3n, { isolation: 'committed' }).abortedTransactions).toHaveLength(1)
    expect((await log.fetch(0n)).abortedTransactions).toEqual([])
    await log.flush()
    expect(indexOf(log, 0n)).toEqual([
      { producerId: 2n, firstOffset: 2n, lastOffset: 4n, lastStableOffset: 1n },
    ])
  })

  it('skip it where the marker lies in a later segment, after a clean close too, and when read only', async () => {
    const log = await testLog()
    const p = log.producer({ id: 1n })
    p.begin()
    p.append(one(0))
    log.roll()
    p.append(one(1))
    log.roll()
    p.abort()
    log.append(one(2))
    const check = async (seen: PartitionLog) => {
      expect(await committed(seen)).toEqual(['v2'])
      for (let from = 0n; from < 4n; from++)
        expect(await values(seen.read({ from, isolation: 'committed', maxBytes: 1 }))).toEqual(['v2'])
    }
    await check(log)
    await check(await testLog({ path: log.path, readOnly: true }))
    await log.close()
    const reader = await testLog({ path: log.path, readOnly: true })
    await check(reader)
    await reader.close()
    await check(await testLog({ path: log.path }))
  })

  it('that follow are woken by the marker', async () => {
    const log = await testLog()
    const p = log.producer({ id: 1n })
    p.begin()
    p.append(one(0))
    const reading = values(log.read({ isolation: 'committed', follow: true, maxRecords: 2 }))
    await log.flush()
    log.append(one(1))
    p.commit()
    expect(await reading).toEqual(['v0', 'v1'])
  })

  it('of a log whose high watermark is moved by its host see a transaction once its marker is below the mark', async () => {
    const log = await testLog({ highWatermark: 'manual' })
    const p = log.producer({ id: 1n })
    log.append(one(0))
    p.begin()
    p.append(one(1))
    p.commit()
    log.setHighWatermark(2n)
    expect(log.offsets).toMatchObject({ highWatermark: 2n, lastStableOffset: 1n })
    log.setHighWatermark(3n)
    expect(log.offsets.lastStableOffset).toBe(3n)
  })
})

describe('known fault 34: a truncation', () => {
  it('into an open transaction, and below it, brings back the state of then', async () => {
    const log = await testLog()
    for (let n = 0; n < 10; n++) log.append(one(n))
    const p = log.producer({ id: 1n })
    p.begin()
    for (let n = 10; n < 20; n++) p.append(one(n))
    await log.truncateTo(15n)
    expect(log.openTransactions()).toMatchObject([{ firstOffset: 10n }])
    expect(log.offsets.lastStableOffset).toBe(10n)
    expect(log.producer({ id: 1n }).nextSequence).toBe(5)
    await log.truncateTo(5n)
    expect(log.openTransactions()).toEqual([])
    expect(log.offsets.lastStableOffset).toBe(5n)
    log.append(one(5))
    expect(log.offsets.lastStableOffset).toBe(6n)
  })

  it('that takes the marker opens the transaction again, and its entry goes from the index', async () => {
    const log = await testLog()
    const p = log.producer({ id: 1n })
    p.begin()
    p.append(one(0))
    p.abort()
    await log.flush()
    expect(indexOf(log, 0n)).toHaveLength(1)
    await log.truncateTo(1n)
    expect(indexOf(log, 0n)).toEqual([])
    expect(log.openTransactions()).toHaveLength(1)
    log.endTransaction({ producerId: 1n, producerEpoch: 0, commit: true })
    expect(await committed(log)).toEqual(['v0'])
  })
})

describe('a transaction index', () => {
  it('known fault 74: that is damaged is made anew, and snapshots stay as they are', async () => {
    const log = await testLog()
    const p = log.producer({ id: 1n })
    p.begin()
    p.append(one(0))
    log.roll()
    p.append(one(1))
    p.abort()
    log.roll()
    log.append(one(2))
    await log.close()
    const file = join(log.path, '00000000000000000001.txnindex')
    const sound = readFileSync(file)
    const names = readdirSync(log.path)
    for (const damaged of [
      sound.subarray(0, 33),
      Buffer.concat([sound, sound.subarray(0, 9)]),
      Buffer.alloc(34, 7),
    ]) {
      writeFileSync(file, damaged)
      const again = await testLog({ path: log.path })
      expect(await committed(again)).toEqual(['v2'])
      await again.close()
      expect(readFileSync(file)).toEqual(sound)
      expect(readdirSync(log.path)).toEqual(names)
    }
  })
})

describe('transactions that nobody ends', () => {
  it('known fault 37: hold readers back after a start too, are late after 20 minutes, and can be aborted', async () => {
    const machine = testMachine()
    const path = join(tempDir(), 'orders-0')
    const log = await openLogOn(machine, path)
    const p = log.producer({ id: 3n })
    p.begin()
    p.append([{ value: 'a' }])
    await log.close()
    const again = closeLater(await openLogOn(machine, path))
    again.append([{ value: 'b' }])
    expect(again.offsets.lastStableOffset).toBe(0n)
    machine.clock.advance(20 * 60_000)
    expect(again.openTransactions()[0]?.isLate).toBe(false)
    machine.clock.advance(1)
    const [open] = again.openTransactions()
    expect(JSON.parse(JSON.stringify(open))).toMatchObject({
      producerId: '3',
      firstOffset: '0',
      isLate: true,
    })
    again.endTransaction({ producerId: 3n, producerEpoch: open?.producerEpoch as number, commit: false })
    expect(await committed(again)).toEqual(['b'])
  })

  it('are never forgotten; other producers are, after producer.id.expiration.ms', async () => {
    const machine = testMachine()
    const manager = { producerIdExpirationMs: 60_000, producerIdExpirationCheckIntervalMs: 10_000 }
    const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0'), { manager }))
    const p = log.producer({ id: 3n })
    p.begin()
    p.append([{ value: 'a' }])
    log.producer({ id: 4n }).append([{ value: 'b' }])
    machine.clock.advance(59_999)
    await log.flush()
    expect(log.producer({ id: 4n }).nextSequence).toBe(1)
    machine.clock.advance(10_001)
    await log.flush()
    expect([3n, 4n].map((id) => log.producer({ id }).nextSequence)).toEqual([1, 0])
  })
})

describe('a marker', () => {
  it('of a raised epoch lets the producer go on with it at sequence 0', async () => {
    const log = await testLog()
    log.append(one(0), { producer: { id: 1, epoch: 0, baseSequence: 0, transactional: true } })
    log.endTransaction({ producerId: 1, producerEpoch: 1, commit: true, transactionVersion: 2 })
    log.append(one(1), { producer: { id: 1, epoch: 1, baseSequence: 0, transactional: true } })
    expect(() => log.append(one(2), { producer: { id: 1, epoch: 0, baseSequence: 1 } })).toThrow(
      expect.objectContaining({ code: 'ERR_PRODUCER_FENCED' }),
    )
  })

  it('is refused with wrong arguments, and by a log that is only read', async () => {
    const log = await testLog()
    const end = { producerId: 1, producerEpoch: 0, commit: true }
    expect(() => log.endTransaction({ ...end, producerEpoch: -1 })).toThrow(RangeError)
    expect(() => log.endTransaction({ ...end, commit: 1 as never })).toThrow(TypeError)
    expect(() => log.endTransaction({ ...end, comit: true } as never)).toThrow(TypeError)
    await log.close()
    const reader = await testLog({ path: log.path, readOnly: true })
    expect(() => (reader as PartitionLog).endTransaction(end)).toThrow(
      expect.objectContaining({ code: 'ERR_READ_ONLY' }),
    )
  })
})
