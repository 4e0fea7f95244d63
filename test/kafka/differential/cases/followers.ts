/** What a follower takes of the leader's bytes. */
import { CODEC_NAMES } from '../../../../lib/format/compression.js'
import { message } from '../../../support/legacy-bytes.js'
import { damaged } from '../damage.js'
import { append, at, fetch, record, reopen, toFollower, wire } from './moves.js'
import { exact, type NamedCase } from './named-case.js'

function epoch(partitionLeaderEpoch: number, count = 1) {
  return { partitionLeaderEpoch, count }
}

export const followers: readonly NamedCase[] = [
  exact('batches as the leader has them, of every codec, with gaps', [
    ...CODEC_NAMES.map((compression, n) => toFollower([wire(n * 10, { count: 3, compression })])),
    toFollower([wire(100), wire(105), wire(106, { count: 2 })]),
    fetch(40),
    at('read', 0),
    reopen,
  ]),
  exact('a last batch that is cut short is not taken', [
    toFollower([wire(0), wire(1).subarray(0, 70)]),
    toFollower([wire(1).subarray(0, 16)]),
    toFollower([]),
    toFollower([wire(1)]),
  ]),
  exact('batches of an epoch above the one that the follower knows are not taken', [
    toFollower([wire(0, epoch(1)), wire(1, epoch(2)), wire(2, epoch(1))], 1),
    toFollower([wire(1, epoch(3))], 1),
    toFollower([wire(1, epoch(2)), wire(2, epoch(3))], 3),
  ]),
  exact('what follows a newer epoch is not looked at', [
    toFollower([wire(0, epoch(1)), wire(1, epoch(2)), damaged(wire(2, epoch(2)), 'flipped byte', 5)], 1),
    toFollower([wire(1, epoch(1)), damaged(wire(2, epoch(2)), 'other checksum', 0)], 1),
  ]),
  exact('epochs that rise, fall and come again', [
    toFollower([wire(0, epoch(1)), wire(1, epoch(4)), wire(2, epoch(4)), wire(3, epoch(6))]),
    toFollower([wire(4, epoch(2))]),
    toFollower([wire(5, epoch(6)), wire(6, epoch(5)), wire(7, epoch(9))]),
    append([record()], { epochsOn: 1 }),
    reopen,
    append([record()], { epochsOn: null }),
  ]),
  exact('offsets below the end, out of order, and both', [
    toFollower([wire(0, { count: 3 })]),
    toFollower([wire(2)]),
    toFollower([wire(0, { count: 3 })]),
    toFollower([wire(9), wire(4)]),
    toFollower([wire(1), wire(0)]),
    toFollower([wire(5), wire(5)]),
    toFollower([wire(3), wire(5)]),
  ]),
  exact('one damaged batch refuses all', [
    toFollower([wire(0), damaged(wire(1), 'flipped byte', 100)]),
    toFollower([damaged(wire(0), 'other checksum', 0), wire(1)]),
    toFollower([wire(0), damaged(wire(1), 'wrong magic', 0)]),
    toFollower([wire(0), damaged(wire(1), 'impossible length', 0)]),
    toFollower([wire(0), wire(1)]),
  ]),
  exact(
    'batches that are out of the bounds of a leader',
    [
      toFollower([
        wire(0, { times: [-86_400_000, 86_400_000], timestampType: 'LogAppendTime', logAppendTime: 5 }),
      ]),
      toFollower([wire(2, { count: 3 })]),
    ],
    {
      'max.message.bytes': '50',
      'message.timestamp.after.max.ms': '0',
      'message.timestamp.before.max.ms': '0',
    },
  ),
  exact('messages of the old formats end the history of epochs', [
    append([record()], { epochsOn: 2 }),
    toFollower([message({ offset: 1n, magic: 1, value: Buffer.from('one'), timestamp: 77n })]),
    toFollower([message({ offset: 2n, magic: 0, value: Buffer.from('two') }), wire(3)]),
    toFollower([wire(4), message({ offset: 9n, magic: 1, key: Buffer.from('k'), timestamp: -1n })]),
    toFollower([wire(10), message({ offset: 12n, magic: 0, value: Buffer.from('three') })]),
    at('read', 0),
    reopen,
    at('locate', 5),
    append([record()], { epochsOn: null }),
  ]),
]
