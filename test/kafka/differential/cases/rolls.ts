/** A segment ended for each reason that there is. */

import { START_MS } from '../run-script.js'
import {
  advance,
  append,
  at,
  batchBytes,
  leader,
  record,
  reopen,
  roll,
  times,
  toFollower,
  wire,
} from './moves.js'
import { exact, type NamedCase } from './named-case.js'

/** With an interval of 0 each batch but a segment's first gets an entry. */
const TIGHT = { 'segment.index.bytes': '48', 'index.interval.bytes': '0' }

const timeless = [append([record({ time: 'none' })])]

export const rolls: readonly NamedCase[] = [
  exact('rolls by size', times(25, append([record({ valueBytes: 90 })]))),
  exact('a segment is filled to its last byte, and no further', times(7, append([record()])), {
    'internal.segment.bytes': `${3 * batchBytes(10)}`,
  }),
  exact('one byte is missing for a third batch', times(7, append([record()])), {
    'internal.segment.bytes': `${3 * batchBytes(10) - 1}`,
  }),
  exact(
    "rolls by time: the records' own, from the segment's first batch on",
    [-100, 900, 901, -5000, 'none' as const, 1902].map((time) => append([record({ time })])),
    { 'segment.ms': '1000' },
  ),
  exact(
    'rolls by age where the first batch has no time',
    [
      append([record({ time: 'none' })]),
      advance(1000),
      append([record({ time: 'none' })]),
      advance(1),
      append([record({ time: 'none' })]),
    ],
    { 'segment.ms': '1000' },
  ),
  exact(
    'a time of 0 is a time',
    [-START_MS, 0, 1000].map((time) => append([record({ time })])),
    { 'segment.ms': '1000' },
  ),
  exact(
    'the age of a segment begins anew when it is emptied by a truncation',
    [...timeless, advance(900), at('truncate', 0), ...timeless, advance(500), ...timeless],
    { 'segment.ms': '1000' },
  ),
  exact(
    'the age of an empty segment begins anew when it is rolled',
    [advance(900), roll, ...timeless, advance(500), ...timeless, advance(501), ...timeless],
    { 'segment.ms': '1000' },
  ),
  exact(
    'the age of a segment begins anew when the log is opened',
    [...timeless, advance(900), reopen, ...timeless, advance(500), ...timeless, advance(501), ...timeless],
    { 'segment.ms': '1000' },
  ),
  exact(
    'max.compaction.lag.ms rolls a compacted log early',
    [0, 300, 301].map((time) => append([record({ time })])),
    { 'cleanup.policy': 'compact', 'max.compaction.lag.ms': '300', 'segment.ms': '100000' },
  ),
  exact(
    'rolls by a full offset index: times that do not rise take no time index entry',
    [...times(12, append([record({ time: 5 })]))],
    TIGHT,
  ),
  exact(
    'rolls by a full time index',
    Array.from({ length: 12 }, (_, n) => append([record({ time: n })])),
    TIGHT,
  ),
  exact('rolls by an offset beyond 31 bits', [
    append([record()]),
    toFollower([wire(2 ** 31 - 1)]),
    toFollower([wire(2 ** 31)]),
    toFollower([wire(2n ** 40n)]),
    append([record(), record()]),
    at('read', 0),
    at('locate', 2 ** 31 - 2),
    at('truncate', 2 ** 31),
    append([record()]),
    reopen,
    at('read', 0),
  ]),
  exact('rolls on demand, an empty segment too', [
    roll,
    roll,
    append([record()]),
    roll,
    roll,
    advance(60_000),
    append([record()]),
  ]),
  exact(
    'an index with room for one entry: each append begins a segment',
    times(3, append([record()]), leader([record()])),
    { 'segment.index.bytes': '12' },
  ),
]
