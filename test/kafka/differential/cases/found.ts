/** What random scripts have found, kept by name. */
import { damaged } from '../damage.js'
import { START_MS } from '../run-script.js'
import {
  advance,
  append,
  at,
  files,
  looks,
  maxTime,
  record,
  reopen,
  retain,
  roll,
  times,
  toFollower,
  wire,
} from './moves.js'
import { decoded, exact, type NamedCase } from './named-case.js'

export const found: readonly NamedCase[] = [
  exact('a damaged batch of an epoch that the follower does not know yet is left, not refused', [
    toFollower(
      [
        wire(0, { partitionLeaderEpoch: 1 }),
        damaged(wire(1, { partitionLeaderEpoch: 2 }), 'flipped byte', 300),
      ],
      1,
    ),
  ]),
  exact(
    'a time index that is full with the time 0 at the first offset is none of zeros when it is opened',
    [append([record({ time: -START_MS })]), reopen, append([record({ time: -START_MS })]), maxTime],
    { 'segment.index.bytes': '12' },
  ),
  exact('truncated below all segments: snapshots go at once, the other files after their delay', [
    ...times(4, append([record()]), roll),
    at('deleteBefore', 3),
    retain,
    files,
    at('truncate', 1),
    files,
    append([record()]),
    reopen,
  ]),
  exact(
    'an empty segment is as old as its file, which was made when the log was',
    [
      { op: 'crash', ms: '120000', baseOffset: '0', damage: null },
      toFollower([wire(2 ** 31, { times: [120_000] })]),
      advance(10),
      retain,
    ],
    { 'retention.ms': '5000' },
  ),
  exact(
    'a segment that was renewed is deleted, while Kafka still has its old files to remove',
    [
      append([record()]),
      append([record()]),
      at('truncate', 1),
      append([record({ valueBytes: 50 })]),
      advance(900),
      append([record()]),
      retain,
      advance(100),
      advance(1000),
    ],
    {
      'segment.index.bytes': '12',
      'index.interval.bytes': '0',
      'retention.bytes': '0',
      'file.delete.delay.ms': '1000',
    },
  ),
  exact('a gap behind the largest offset that a segment can hold', [
    append([record()]),
    toFollower([wire(2 ** 31 - 1)]),
    toFollower([wire(2 ** 31 + 5)]),
    ...looks(2 ** 31 - 2, 2 ** 31 + 6),
    at('truncate', 2 ** 31 + 2),
    ...looks(2 ** 31 - 1, 2 ** 31 + 2),
    append([record()]),
    ...looks(2 ** 31 - 1, 2 ** 31 + 3),
  ]),
  decoded(
    'where each compresses itself, a segment that was rolled empty may have another size in each',
    [roll, append([record({ key: '', valueBytes: null })])],
    { 'compression.type': 'gzip' },
  ),
]
