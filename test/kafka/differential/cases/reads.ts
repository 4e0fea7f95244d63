/** Looks by offset and by time. */
import {
  append,
  at,
  fetch,
  leader,
  looks,
  maxTime,
  record,
  reopen,
  time,
  times,
  toFollower,
  wire,
} from './moves.js'
import { exact, type NamedCase } from './named-case.js'

const FALLING = [50, 40, 40, 60, 10, 60, 'none', 55, 20] as const

export const reads: readonly NamedCase[] = [
  exact('nothing in it', [...looks(0, 1), fetch(-1), time(0), maxTime]),
  exact('every offset, and those outside', [
    ...times(
      8,
      append([record(), record({ valueBytes: 100 }), record()]),
      leader([record()], { codec: 'snappy' }),
    ),
    ...looks(0, 32),
    fetch(-1),
    fetch(33),
  ]),
  exact('offsets in gaps, within a segment and at its end', [
    toFollower([wire(0, { count: 2 }), wire(5, { count: 2 }), wire(8)]),
    toFollower([wire(2 ** 31 + 10, { count: 2 })]),
    ...looks(0, 12),
    at('read', 2 ** 31),
    at('locate', 2 ** 31 + 11),
  ]),
  exact('sizes from nothing to all', [
    ...times(3, append([record({ valueBytes: 30 })])),
    ...[0, 1, 60, 61, 107, 108, 109, 200, 330, 5000].flatMap((maxBytes) => [
      fetch(1, maxBytes),
      fetch(0, maxBytes, false),
    ]),
  ]),
  exact(
    'times that fall, are equal, or are not there',
    [
      ...FALLING.map((aheadMs) => append([record({ time: aheadMs }), record({ time: aheadMs })])),
      ...[0, 10, 11, 40, 41, 50, 55, 56, 60, 61].map(time),
      maxTime,
      reopen,
      ...[0, 10, 11, 40, 41, 50, 55, 56, 60, 61].map(time),
      maxTime,
    ],
    { 'index.interval.bytes': '0' },
  ),
  exact(
    'times far ahead and far behind',
    [
      append([record({ time: -1_700_000_000_000 }), record({ time: 3_600_000_000 })]),
      append([record()]),
      ...[-1_700_000_000_000, -1, 0, 1, 3_600_000_000, 3_600_000_001].map(time),
      maxTime,
    ],
    { 'message.timestamp.after.max.ms': '9223372036854775807' },
  ),
  exact('times in compressed batches', [
    leader(
      [3, 9, 5].map((aheadMs) => record({ time: aheadMs })),
      { codec: 'zstd' },
    ),
    leader(
      [7, 12, 11].map((aheadMs) => record({ time: aheadMs })),
      { codec: 'lz4' },
    ),
    ...Array.from({ length: 14 }, (_, aheadMs) => time(aheadMs)),
    maxTime,
  ]),
  exact(
    'readers stop at the high watermark',
    [
      ...times(6, append([record({ time: 1, valueBytes: 150 }), record({ time: 2 })])),
      ...looks(0, 3),
      time(1),
      at('highWatermark', 4),
      ...looks(2, 6),
      time(1),
      at('highWatermark', 4),
      at('highWatermark', 13),
      at('deleteBefore', 5),
      at('deleteBefore', -1),
      reopen,
      at('read', 4),
      at('highWatermark', 12),
      at('read', 4),
      at('truncate', 8),
      at('read', 4),
      reopen,
    ],
    {},
    'manual',
  ),
]
