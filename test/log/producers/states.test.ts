/** What a batch makes of its producer's state, and why it is refused. */
import { describe, expect, it } from 'vitest'
import type { AppendOrigin } from '../../../lib/log/producers/producer-checks.js'
import type { Marker, ProducerHeader } from '../../../lib/log/producers/producer-header.js'
import { ProducerTable } from '../../../lib/log/producers/producer-table.js'

const LAST_SEQUENCE = 2 ** 31 - 1

function data(offset: number, fields: Partial<ProducerHeader> & { count?: number } = {}): ProducerHeader {
  const { count = 1, baseSequence = 0, ...rest } = fields
  const last = baseSequence + count - 1
  return {
    producerId: 1n,
    producerEpoch: 0,
    baseSequence,
    lastSequence: last > LAST_SEQUENCE ? last - 2 ** 31 : last,
    baseOffset: BigInt(offset),
    lastOffset: BigInt(offset + count - 1),
    maxTimestamp: BigInt(1000 + offset),
    isTransactional: false,
    isControl: false,
    marker: null,
    ...rest,
  }
}

function end(
  offset: number,
  type: Marker['type'],
  { coordinatorEpoch = 0, ...fields }: Partial<ProducerHeader> & { coordinatorEpoch?: number } = {},
): ProducerHeader {
  const marker = { type, coordinatorEpoch, timestamp: BigInt(1000 + offset) }
  return { ...data(offset, { baseSequence: -1, lastSequence: -1, ...fields }), isControl: true, marker }
}

class Table extends ProducerTable {
  take(header: ProducerHeader, origin: AppendOrigin = 'client', transactionVersion = 1) {
    const plan = this.plan([header], origin, { transactionVersion })
    this.update(plan)
    const stable = plan.completed.map((transaction) => this.stableAfter(transaction))
    for (const transaction of plan.completed) this.complete(transaction)
    return stable
  }

  refusal(header: ProducerHeader, origin: AppendOrigin = 'client', transactionVersion = 1) {
    const before = this.entries()
    try {
      this.plan([header], origin, { transactionVersion })
    } catch (error) {
      expect(this.entries()).toEqual(before)
      return (error as { code: string }).code
    }
    return undefined
  }
}

describe('sequences', () => {
  it('go on by one, and a gap or a step back is out of order', () => {
    const table = new Table()
    table.take(data(0, { count: 3 }))
    expect(table.refusal(data(3, { baseSequence: 4 }))).toBe('ERR_OUT_OF_ORDER_SEQUENCE')
    expect(table.refusal(data(3, { baseSequence: 2 }))).toBe('ERR_OUT_OF_ORDER_SEQUENCE')
    table.take(data(3, { baseSequence: 3 }))
    expect(table.state(1n)).toMatchObject({ batches: [{ lastSequence: 2 }, { firstSequence: 3 }] })
  })

  it('begin anywhere for a producer that is not known, at 0 in a new epoch', () => {
    const table = new Table()
    table.take(data(0, { baseSequence: 77 }))
    expect(table.refusal(data(1, { producerEpoch: 1, baseSequence: 78 }))).toBe('ERR_OUT_OF_ORDER_SEQUENCE')
    table.take(data(1, { producerEpoch: 1, baseSequence: 0 }))
    expect(table.state(1n)).toMatchObject({ producerEpoch: 1, batches: [{ lastSequence: 0 }] })
    expect(table.refusal(data(2, { producerEpoch: 0, baseSequence: 78 }))).toBe('ERR_PRODUCER_FENCED')
  })

  it('wrap from 2147483647 to 0, between batches and within one', () => {
    const table = new Table()
    table.take(data(0, { baseSequence: LAST_SEQUENCE }))
    table.take(data(1, { baseSequence: 0, count: 2 }))
    const within = new Table()
    within.take(data(0, { baseSequence: LAST_SEQUENCE - 1, count: 4 }))
    expect(within.state(1n)?.batches).toMatchObject([{ firstSequence: LAST_SEQUENCE - 1, lastSequence: 1 }])
    expect(within.refusal(data(4, { baseSequence: 3 }))).toBe('ERR_OUT_OF_ORDER_SEQUENCE')
    within.take(data(4, { baseSequence: 2 }))
  })

  it('are not looked at for a follower', () => {
    const table = new Table()
    table.take(data(0))
    table.take(data(1, { baseSequence: 9 }), 'replication')
    table.take(data(2, { producerEpoch: 3, baseSequence: 5 }), 'replication')
    table.take(data(3, { producerEpoch: 2, baseSequence: 1 }), 'replication')
    expect(table.state(1n)).toMatchObject({ producerEpoch: 2, batches: [{ firstSequence: 1 }] })
  })
})

describe('duplicates', () => {
  it('are known among the last five batches of the epoch, whole', () => {
    const table = new Table()
    for (let n = 0; n < 6; n++) table.take(data(n * 2, { baseSequence: n * 2, count: 2 }))
    expect(table.duplicate(data(50, { baseSequence: 0, count: 2 }))).toBeUndefined()
    expect(table.refusal(data(50, { baseSequence: 0, count: 2 }))).toBe('ERR_OUT_OF_ORDER_SEQUENCE')
    for (let n = 1; n < 6; n++) {
      const repeated = table.duplicate(data(50, { baseSequence: n * 2, count: 2 }))
      expect(repeated).toMatchObject({ firstOffset: BigInt(n * 2), lastOffset: BigInt(n * 2 + 1) })
    }
    expect(table.duplicate(data(50, { baseSequence: 4, count: 1 }))).toBeUndefined()
    expect(table.duplicate(data(50, { baseSequence: 4, count: 2, producerEpoch: 1 }))).toBeUndefined()
  })
})

describe('transactions', () => {
  const part = (offset: number, fields: Partial<ProducerHeader> = {}) =>
    data(offset, { isTransactional: true, ...fields })

  it('hold the last stable offset at their first record until the high watermark passes their marker', () => {
    const table = new Table()
    table.take(part(5))
    expect(table.lastStableOffset(9n, 0n)).toBe(5n)
    expect(table.lastStableOffset(3n, 0n)).toBe(3n)
    expect(table.lastStableOffset(9n, 7n)).toBe(7n)
    expect(table.take(end(6, 'ABORT'), 'coordinator')).toEqual([7n])
    expect(table.lastStableOffset(9n, 0n)).toBe(5n)
    table.decideBelow(6n)
    expect(table.lastStableOffset(9n, 0n)).toBe(5n)
    table.decideBelow(7n)
    expect(table.lastStableOffset(9n, 0n)).toBe(9n)
  })

  it('that end among others are stable up to the first of the others', () => {
    const table = new Table()
    table.take(part(1))
    table.take(part(2, { producerId: 2n }))
    table.take(part(3, { producerId: 3n }))
    expect(table.take(end(4, 'ABORT', { producerId: 3n }), 'coordinator')).toEqual([1n])
    expect(table.take(end(5, 'ABORT'), 'coordinator')).toEqual([2n])
    expect(table.openTransactions().map(({ producerId }) => producerId)).toEqual([2n])
  })

  it('take no batch outside of them', () => {
    const table = new Table()
    table.take(part(0))
    expect(table.refusal(data(1, { baseSequence: 1 }))).toBe('ERR_INVALID_TRANSACTION_STATE')
    expect(table.refusal(data(1, { baseSequence: 1 }), 'replication')).toBe('ERR_INVALID_TRANSACTION_STATE')
    expect(table.refusal(part(1, { baseSequence: 1, lastSequence: 1 }))).toBeUndefined()
  })

  it('go on with the sequence behind a marker of their epoch, and with 0 behind a raised one', () => {
    const table = new Table()
    table.take(part(0))
    table.take(end(1, 'COMMIT'), 'coordinator')
    table.take(part(2, { baseSequence: 1, lastSequence: 1 }))
    table.take(end(3, 'COMMIT', { producerEpoch: 1 }), 'coordinator', 2)
    expect(table.state(1n)).toMatchObject({ producerEpoch: 1, batches: [], lastTimestamp: 1003n })
    expect(table.refusal(part(4, { producerEpoch: 1, baseSequence: 2 }))).toBe('ERR_OUT_OF_ORDER_SEQUENCE')
    table.take(part(4, { producerEpoch: 1 }))
  })

  it('end by no marker of an old epoch or an old coordinator', () => {
    const table = new Table()
    table.take(part(0, { producerEpoch: 2 }))
    expect(table.refusal(end(1, 'ABORT', { producerEpoch: 1 }), 'coordinator')).toBe('ERR_PRODUCER_FENCED')
    table.take(end(1, 'ABORT', { producerEpoch: 2, coordinatorEpoch: 4 }), 'coordinator')
    const old = end(2, 'ABORT', { producerEpoch: 2, coordinatorEpoch: 3 })
    expect(table.refusal(old, 'coordinator')).toBe('ERR_PRODUCER_FENCED')
  })

  it('of version 2 need a raised epoch, unless the marker is a retry', () => {
    const table = new Table()
    table.take(part(0))
    expect(table.refusal(end(1, 'COMMIT'), 'coordinator', 2)).toBe('ERR_PRODUCER_FENCED')
    table.take(end(1, 'COMMIT', { producerEpoch: 1 }), 'coordinator', 2)
    expect(table.refusal(end(2, 'COMMIT', { producerEpoch: 1 }), 'coordinator', 2)).toBeUndefined()
  })

  it('known fault 79: at the highest epoch a marker of that epoch ends them', () => {
    const table = new Table()
    table.take(part(0, { producerEpoch: 32_767 }))
    table.take(end(1, 'ABORT', { producerEpoch: 32_767 }), 'coordinator', 2)
    expect(table.openTransactions()).toEqual([])
  })

  it('known fault 77: a follower takes a marker of an older coordinator', () => {
    const table = new Table()
    table.take(part(0))
    table.take(end(1, 'COMMIT', { coordinatorEpoch: 9 }), 'replication')
    table.take(end(2, 'COMMIT', { coordinatorEpoch: 8 }), 'replication')
    expect(table.state(1n)).toMatchObject({ coordinatorEpoch: 8 })
  })

  it('whose marker cleaning has emptied are left as they are', () => {
    const table = new Table()
    table.take(part(0))
    table.take({ ...end(1, 'COMMIT'), marker: null }, 'files')
    expect(table.openTransactions()).toHaveLength(1)
  })
})

describe('expiry', () => {
  it('known fault 77: goes by the time of the marker', () => {
    const table = new Table()
    table.take(data(0, { isTransactional: true }))
    table.take(end(5000, 'COMMIT'), 'coordinator')
    expect(table.expire(6000 + 99, 100)).toBe(0)
    expect(table.expire(6000 + 100, 100)).toBe(1)
  })

  it('never takes a producer whose transaction is open', () => {
    const table = new Table()
    table.take(data(0, { isTransactional: true }))
    expect(table.expire(Number.MAX_SAFE_INTEGER, 1)).toBe(0)
    expect(table.size).toBe(1)
  })

  it('known fault 80: of very many is one pass', () => {
    const table = new Table()
    for (let n = 0; n < 20_000; n++) table.take(data(n, { producerId: BigInt(n) }))
    const startedMs = performance.now()
    expect(table.expire(10 ** 9, 1)).toBe(20_000)
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })
})
