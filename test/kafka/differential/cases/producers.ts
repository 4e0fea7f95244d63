/** Idempotent and transactional producers, the ends of transactions, and readers of committed data. */
import type { Operation, ProducerSpec } from '../operation.js'
import { markerBytes } from '../producers.js'
import { START_MS } from '../run-script.js'
import {
  advance,
  append,
  at,
  fetch,
  record,
  reopen,
  roll,
  times,
  toFollower,
  toLeader,
  wire,
} from './moves.js'
import { exact, type NamedCase } from './named-case.js'

const LAST_SEQUENCE = 2 ** 31 - 1

function by(producer: Partial<ProducerSpec>, count = 1): Operation {
  const whole = { id: '7', epoch: 0, baseSequence: 0, transactional: false, ...producer }
  const records = Array.from({ length: count }, (_, n) => ({
    timestamp: `${START_MS + n}`,
    key: 'aw==',
    value: 'dg==',
    headers: [],
  }))
  return { op: 'append', records, codec: 'none', leaderEpoch: null, producer: whole }
}

function inTransaction(producer: Partial<ProducerSpec>, count = 1): Operation {
  return by({ transactional: true, ...producer }, count)
}

function end(
  producerId: string,
  commit: boolean,
  more: Partial<Extract<Operation, { op: 'marker' }>> = {},
): Operation {
  const fields = { producerEpoch: 0, coordinatorEpoch: 0, leaderEpoch: 0, transactionVersion: 1 }
  return { op: 'marker', producerId, commit, ...fields, ...more }
}

const committed = (offset: number): Operation[] => [
  { op: 'read', offset: `${offset}`, isolation: 'committed' },
  { op: 'fetch', offset: `${offset}`, maxBytes: 1 << 20, minOneBatch: true, isolation: 'committed' },
]

function followed(offset: number, commit: boolean, id = '7') {
  return markerBytes({
    id,
    epoch: 0,
    commit,
    baseOffset: BigInt(offset),
    partitionLeaderEpoch: 0,
    nowMs: START_MS,
  })
}

export const producers: readonly NamedCase[] = [
  exact('the last five batches of a producer are known again, and the sixth is not', [
    ...[0, 1, 2, 3, 4, 5].map((n) => by({ baseSequence: n * 2 }, 2)),
    ...[1, 2, 3, 4, 5, 0].map((n) => by({ baseSequence: n * 2 }, 2)),
    by({ baseSequence: 10 }, 1),
    toLeader(wire(0, { count: 2, producer: { id: 7, epoch: 0, baseSequence: 10 } })),
  ]),
  exact('a fetch of no bytes tells of no aborted transaction', [
    inTransaction({}),
    inTransaction({ baseSequence: 1 }),
    end('7', false),
    { op: 'fetch', offset: '1', maxBytes: 0, minOneBatch: false, isolation: 'committed' },
    ...committed(1),
  ]),
  exact('a gap, an old epoch, a new one', [
    by({}),
    by({ baseSequence: 2 }),
    by({ epoch: 1, baseSequence: 1 }),
    by({ epoch: 1 }),
    by({ baseSequence: 1 }),
    by({ id: '8', baseSequence: 55 }),
  ]),
  exact('sequences wrap, between batches and within one', [
    by({ baseSequence: LAST_SEQUENCE - 1 }, 2),
    by({}),
    by({ id: '8', baseSequence: LAST_SEQUENCE - 1 }, 4),
    by({ id: '8', baseSequence: 2 }),
    by({ id: '8', baseSequence: LAST_SEQUENCE - 1 }, 4),
    reopen,
    by({ id: '8', baseSequence: 2 }),
  ]),
  exact('a producer is known after rolls, openings and cuts', [
    ...times(2, append([record({ valueBytes: 200 })])),
    by({}),
    roll,
    by({ baseSequence: 1 }),
    reopen,
    by({ baseSequence: 1 }),
    by({ baseSequence: 2 }),
    roll,
    by({ baseSequence: 3 }),
    at('truncate', 5),
    by({ baseSequence: 3 }),
    at('truncate', 3),
    by({ baseSequence: 1 }),
    at('truncate', 0),
    by({ baseSequence: 9 }),
    reopen,
  ]),
  exact(
    'a roll and an epoch come with an append that is then refused',
    [
      by({}),
      by({ baseSequence: 1 }),
      advance(10),
      { ...by({ baseSequence: 9 }), leaderEpoch: 3 } as Operation,
      { ...by({ baseSequence: 1 }), leaderEpoch: 4 } as Operation,
    ],
    { 'segment.ms': '5' },
  ),
  exact('transactions of two producers, one committed, one aborted', [
    inTransaction({}),
    inTransaction({ id: '8' }),
    append([record()]),
    ...committed(0),
    end('8', false),
    ...committed(0),
    inTransaction({ baseSequence: 1 }),
    by({ baseSequence: 2 }),
    end('7', true),
    ...[0, 1, 2, 3, 4, 5].flatMap(committed),
    by({ baseSequence: 2 }),
    reopen,
    ...committed(0),
  ]),
  exact('markers far behind what they end, in other segments', [
    inTransaction({}),
    roll,
    inTransaction({ baseSequence: 1 }),
    roll,
    inTransaction({ id: '8' }),
    end('7', false),
    roll,
    end('8', false),
    ...[0, 1, 2, 3, 4].flatMap(committed),
    reopen,
    ...[0, 1, 2, 3, 4].flatMap(committed),
    at('truncate', 4),
    ...committed(0),
    at('truncate', 3),
    ...committed(0),
    end('7', true),
    end('8', true),
    ...committed(0),
  ]),
  exact('markers with an old epoch, an old coordinator, a raised epoch, and repeated', [
    inTransaction({ epoch: 3 }),
    end('7', true, { producerEpoch: 2 }),
    end('7', true, { producerEpoch: 3, transactionVersion: 2 }),
    end('7', true, { producerEpoch: 4, transactionVersion: 2, coordinatorEpoch: 5 }),
    end('7', true, { producerEpoch: 4, transactionVersion: 2, coordinatorEpoch: 5 }),
    end('7', true, { producerEpoch: 4, coordinatorEpoch: 4 }),
    inTransaction({ epoch: 3, baseSequence: 1 }),
    inTransaction({ epoch: 4, baseSequence: 1 }),
    inTransaction({ epoch: 4 }),
    end('7', false, { producerEpoch: 5, transactionVersion: 2, coordinatorEpoch: 5 }),
    ...committed(0),
    end('9', false),
  ]),
  exact('known fault 79: a marker of the highest epoch', [
    inTransaction({ epoch: 32_767 }),
    end('7', false, { producerEpoch: 32_767, transactionVersion: 2 }),
    ...committed(0),
  ]),
  exact(
    'transactions under a high watermark that the host moves',
    [
      inTransaction({}),
      end('7', false),
      append([record()]),
      at('highWatermark', 1),
      ...committed(0),
      at('highWatermark', 2),
      ...committed(0),
      at('highWatermark', 3),
      ...committed(0),
      inTransaction({ baseSequence: 1 }),
      end('7', true),
      at('truncate', 4),
      at('highWatermark', 4),
      ...committed(0),
    ],
    {},
    'manual',
  ),
  exact('a follower: several transactions in one append, and a batch outside of one', [
    toFollower([
      wire(0, { producer: { id: 7, epoch: 0, baseSequence: 0, transactional: true } }),
      wire(1, { producer: { id: 8, epoch: 0, baseSequence: 4, transactional: true } }),
      followed(2, false),
      wire(3, { producer: { id: 7, epoch: 0, baseSequence: 9, transactional: true } }),
      followed(4, false, '8'),
      followed(5, true),
    ]),
    ...[0, 1, 2, 3, 4].flatMap(committed),
    toFollower([wire(6, { producer: { id: 7, epoch: 0, baseSequence: 0, transactional: true } })]),
    toFollower([wire(7, { producer: { id: 7, epoch: 0, baseSequence: 1 } })]),
    fetch(0),
    reopen,
    ...committed(0),
  ]),
  exact(
    'producers are forgotten, those with a transaction never',
    [
      by({}),
      inTransaction({ id: '8' }),
      advance(2_999),
      advance(1),
      advance(2_000),
      by({ baseSequence: 70 }),
      reopen,
      advance(10_000),
      reopen,
      end('8', false),
      advance(10_000),
    ],
    { 'producer.id.expiration.ms': '3000', 'producer.id.expiration.check.interval.ms': '1000' },
  ),
  exact('known fault 76: snapshots go with their segments, and the producer stays', [
    by({}),
    roll,
    by({ baseSequence: 1 }),
    roll,
    by({ baseSequence: 2 }),
    at('deleteBefore', 2),
    { op: 'retain' },
    advance(100_000),
    { op: 'files' },
    by({ baseSequence: 2 }),
    reopen,
    by({ baseSequence: 3 }),
  ]),
  exact('more producers than a small map holds', [
    ...Array.from({ length: 30 }, (_, n) => by({ id: `${(n * 7919) % 101}` })),
    roll,
    ...Array.from({ length: 12 }, (_, n) => by({ id: `${4294967296 * (n + 1)}` })),
  ]),
]
