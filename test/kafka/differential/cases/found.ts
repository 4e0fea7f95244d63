/** What random scripts have found, kept by name. */
import { damaged } from '../damage.js'
import { START_MS } from '../run-script.js'
import { append, maxTime, record, reopen, roll, toFollower, wire } from './moves.js'
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
  decoded(
    'where each compresses itself, a segment that was rolled empty may have another size in each',
    [roll, append([record({ key: '', valueBytes: null })])],
    { 'compression.type': 'gzip' },
  ),
]
