/** Segments and indexes as large as they are in earnest: more than one read, one page, one block at a time. */
import { append, at, fetch, maxTime, record, reopen, time, toFollower, wire } from './moves.js'
import { exact, type NamedCase } from './named-case.js'

const BATCHES_AT_ONCE = 40
const RECORDS = 100
/** Records of one such append. */
const ROUND = BATCHES_AT_ONCE * RECORDS

/** Some 90 KiB, whose times rise by a millisecond a batch. */
function round(n: number) {
  return toFollower(
    Array.from({ length: BATCHES_AT_ONCE }, (_, m) => {
      const aheadMs = n * BATCHES_AT_ONCE + m
      return wire(n * ROUND + m * RECORDS, { times: Array.from({ length: RECORDS }, () => aheadMs) })
    }),
  )
}

const ROUNDS = Array.from({ length: 14 }, (_, n) => round(n))

export const sizes: readonly NamedCase[] = [
  exact(
    'segments of a mebibyte, an index entry every 4 KiB',
    [
      ...ROUNDS,
      ...[0, 1, 17_777, 39_999, 40_000, 55_999].flatMap((offset) => [
        at('locate', offset),
        fetch(offset),
        fetch(offset, 300_000),
      ]),
      ...[0, 1, 277, 400, 559, 560].map(time),
      maxTime,
      at('truncate', 33_333),
      append([record({ time: 700 })]),
      time(600),
      reopen,
      fetch(33_000),
      time(332),
    ],
    {
      'internal.segment.bytes': '1048576',
      'segment.index.bytes': '65536',
      'index.interval.bytes': '4096',
    },
  ),
  exact(
    'an index of thousands of entries',
    [
      ...ROUNDS.slice(0, 3),
      ...Array.from({ length: 30 }, (_, n) => manySmall(3 * ROUND + n * 60)),
      ...[0, 4000, 12_001, 12_500, 13_700].flatMap((offset) => [at('locate', offset), fetch(offset, 500)]),
      ...[1, 60, 119, 5000].map(time),
      at('truncate', 13_000),
      at('locate', 12_999),
      reopen,
      at('locate', 12_999),
    ],
    { 'internal.segment.bytes': '1048576', 'segment.index.bytes': '65536', 'index.interval.bytes': '0' },
  ),
]

/** Sixty batches of one record. */
function manySmall(from: number) {
  return toFollower(Array.from({ length: 60 }, (_, m) => wire(from + m, { times: [from + m] })))
}
