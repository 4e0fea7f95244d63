/** What a leader takes and what it refuses, on both sides of each bound. */
import { CODEC_NAMES } from '../../../../lib/format/compression.js'
import { damaged, damages } from '../damage.js'
import type { Move } from '../run-script.js'
import { append, batchBytes, leader, record, reopen, toLeader, wire } from './moves.js'
import { exact, type NamedCase } from './named-case.js'

function bothWays(valueBytes: number): Move[] {
  return [append([record({ valueBytes })]), leader([record({ valueBytes })])]
}

const around = (bytes: number) => [-1, 0, 1].flatMap((more) => bothWays(bytes + more))

export const refusals: readonly NamedCase[] = [
  exact('a batch of max.message.bytes, and one byte more', around(50), {
    'max.message.bytes': `${batchBytes(50)}`,
  }),
  exact('a batch of segment.bytes, and one byte more', [append([record()]), ...around(50), reopen], {
    'internal.segment.bytes': `${batchBytes(50)}`,
  }),
  exact(
    'times at the bounds of message.timestamp.before.max.ms and after.max.ms',
    (['before', 'after'] as const).flatMap((limit) =>
      [-1, 0, 1].flatMap((beyondMs) => {
        const records = [record(), record({ time: { limit, beyondMs } })]
        return [append(records), leader(records), leader(records, { codec: 'gzip' })]
      }),
    ),
    { 'message.timestamp.before.max.ms': '5000', 'message.timestamp.after.max.ms': '300' },
  ),
  exact(
    'no time at all is within any bounds',
    [append([record({ time: 'none' })]), leader([record({ time: 'none' })])],
    {
      'message.timestamp.before.max.ms': '0',
      'message.timestamp.after.max.ms': '0',
    },
  ),
  exact(
    "LogAppendTime asks for no bounds: the producer's times are not used",
    ['none' as const, -86_400_000, 86_400_000].flatMap((time) => [
      append([record({ time }), record()]),
      ...CODEC_NAMES.map((codec) => leader([record({ time }), record()], { codec })),
    ]),
    { 'message.timestamp.type': 'LogAppendTime', 'message.timestamp.after.max.ms': '0' },
  ),
  exact(
    'a compacted log takes no record without a key',
    [[null], ['k', null], ['k', '']].flatMap((keys) => {
      const records = keys.map((key) => record({ key }))
      return [append(records), ...CODEC_NAMES.map((codec) => leader(records, { codec }))]
    }),
    { 'cleanup.policy': 'compact' },
  ),
  exact("a producer's bytes with each damage that there is", [
    append([record()]),
    ...damages.flatMap((damage) =>
      [0, 1, 2, 3].flatMap((by) => [
        toLeader(damaged(wire(0, { count: 3 }), damage, by)),
        toLeader(damaged(wire(0, { count: 3, compression: 'lz4' }), damage, by)),
      ]),
    ),
    append([record()]),
  ]),
  exact('a cut batch whose magic is wrong is no cut batch', [
    toLeader(damaged(wire(0), 'wrong magic', 0).subarray(0, 40)),
    toLeader(wire(0).subarray(0, 40)),
  ]),
]
