/** What a cleaner leaves of a compacted log, round by round. */
import { CODEC_NAMES } from '../../../../lib/format/compression.js'
import type { Operation } from '../operation.js'
import type { View } from '../view.js'
import { COMPACT, end, fetched, mapOf, old, type Pair, put, putBy, rounds } from './cleaning-moves.js'
import { advance, at, clean, configure, files, reopen, retain, roll, times, toFollower } from './moves.js'
import { decoded, exact, type NamedCase } from './named-case.js'

const ABC = ['a', 'b', 'c']
const ROOMY = { 'internal.segment.bytes': '4000', 'segment.index.bytes': '1200' }

/** Cleaned and looked at, and once more. */
const cleaned = [clean, files, at('read', 0), clean]

/** The article's third example. */
const users: readonly Pair[] = [
  ...['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'].map(
    (value, n): Pair => [`user${(n % 3) + 1}`, value],
  ),
  ['user2', null],
]

export const threeUsers = exact(
  'three users with three values each, then one tombstone',
  [put(users), advance(6000), put([['user4', 'd1']]), files, ...cleaned],
  { ...COMPACT, 'min.cleanable.dirty.ratio': '0.01', 'segment.ms': '5000' },
)

const tombstones = [0, 1, 5000].map((retentionMs) =>
  exact(
    `tombstones stay for ${retentionMs} ms behind the first cleaning`,
    [
      put([
        ['a', '1'],
        ['b', '1'],
        ['a', null],
      ]),
      put([['b', null]]),
      roll,
      ...cleaned,
      ...[Math.max(0, retentionMs - 1), 1, 1].flatMap((ms, n) => [
        advance(ms),
        put([['c', `${n}`]]),
        roll,
        ...cleaned,
      ]),
    ],
    { ...COMPACT, ...ROOMY, 'delete.retention.ms': `${retentionMs}` },
  ),
)

const lags = [
  exact(
    'min.compaction.lag.ms holds a segment back to the millisecond',
    [
      ...[0, 1, 2].flatMap((n) => [put([['a', `${n}`]]), roll, advance(100), clean]),
      ...[699, 1, 1, 98, 1, 1, 1000].flatMap((ms) => [advance(ms), clean]),
    ],
    { ...COMPACT, 'min.compaction.lag.ms': '1000' },
  ),
  exact(
    'max.compaction.lag.ms makes a log that is hardly dirty due, and rolls its active segment',
    [
      ...rounds(30, ABC),
      roll,
      clean,
      put([['a', 'new']]),
      roll,
      clean,
      ...[2999, 1, 1].flatMap((ms) => [advance(ms), clean]),
      put([['b', 'new']]),
      advance(3001),
      put([['b', 'newer']]),
      clean,
    ],
    { ...COMPACT, ...ROOMY, 'min.cleanable.dirty.ratio': '1', 'max.compaction.lag.ms': '3000' },
  ),
  exact(
    'a log is due above min.cleanable.dirty.ratio, not at it',
    [put([['a', '1']]), roll, clean, put([['b', '1']]), roll, clean, put([['c', '1']]), roll, clean],
    { ...COMPACT, 'min.cleanable.dirty.ratio': '0.5' },
  ),
]

/** Of two producers: 7 commits, 8 aborts. */
const twoTransactions = [
  putBy(
    [
      ['a', 'committed'],
      ['b', 'committed'],
    ],
    { transactional: true },
  ),
  putBy(
    [
      ['a', 'aborted'],
      ['c', 'aborted'],
    ],
    { id: '8', transactional: true },
  ),
  put([['c', 'plain']]),
]

const transactions = [
  exact(
    'aborted records go at once, markers when nothing of their transaction is left',
    [
      put([['a', 'before']]),
      ...twoTransactions,
      end('7', true),
      end('8', false),
      roll,
      ...cleaned,
      put([
        ['a', 'after'],
        ['b', 'after'],
      ]),
      roll,
      ...cleaned,
      ...times(2, advance(1001), put([['c', 'later']]), roll, ...cleaned),
      reopen,
      clean,
    ],
    { ...COMPACT, ...ROOMY, 'delete.retention.ms': '1000' },
  ),
  exact(
    'an open transaction ends what can be cleaned',
    [
      put([['a', '1']]),
      roll,
      put([['a', '2']]),
      roll,
      ...twoTransactions,
      roll,
      put([['a', '3']]),
      roll,
      ...cleaned,
      end('8', false),
      roll,
      ...cleaned,
      end('7', true),
      roll,
      ...cleaned,
    ],
    COMPACT,
  ),
  exact(
    'transactions that begin in one group and end in another',
    [
      ...twoTransactions.flatMap((move) => [move, ...rounds(4, ABC), roll]),
      putBy([['b', 'aborted']], { id: '8', baseSequence: 2, transactional: true }),
      ...rounds(4, ABC),
      roll,
      end('8', false),
      end('7', true),
      roll,
      ...cleaned,
      advance(2000),
      ...rounds(3, ABC),
      roll,
      ...cleaned,
    ],
    {
      ...COMPACT,
      'internal.segment.bytes': '700',
      'segment.index.bytes': '400',
      'delete.retention.ms': '1000',
    },
  ),
]

/** Only the batch that ends at the high watermark stays as an empty one. */
const lastOnes = [
  exact(
    'a last batch of which nothing stays, at the high watermark and below it',
    [
      put([['a', '1']]),
      putBy([['b', 'aborted']], { transactional: true }),
      roll,
      end('7', false),
      put([['a', '2']]),
      put([[null, 'no key']]),
      roll,
      configure({ 'cleanup.policy': 'compact' }),
      ...cleaned,
      put([['c', '1']]),
      roll,
      put([['c', '2']]),
      clean,
      files,
    ],
    { ...COMPACT, 'cleanup.policy': 'delete' },
  ),
]

const producers = [
  exact(
    'the last batch of a producer stays empty until it is forgotten',
    [
      putBy([['a', '1']], {}),
      putBy([['a', '2']], { baseSequence: 1 }),
      putBy([['b', '1']], { id: '9' }),
      put([
        ['a', '3'],
        ['b', '3'],
      ]),
      roll,
      ...cleaned,
      reopen,
      putBy([['a', '4']], { baseSequence: 2 }),
      roll,
      ...cleaned,
      advance(20_000),
      put([['a', '5']]),
      roll,
      ...cleaned,
    ],
    {
      ...COMPACT,
      ...ROOMY,
      'producer.id.expiration.ms': '10000',
      'producer.id.expiration.check.interval.ms': '3301',
    },
  ),
  exact(
    'a marker that is all that is known of a producer stays',
    [end('7', true), put([['a', '1']]), roll, ...cleaned, advance(1001), put([['a', '2']]), roll, ...cleaned],
    { ...COMPACT, 'delete.retention.ms': '1000' },
  ),
]

const policies = [
  exact(
    'records without a key go, once the policy says compact',
    [
      put([
        ['a', '1'],
        [null, 'x'],
        ['a', '2'],
      ]),
      put([
        [null, 'y'],
        [null, 'z'],
      ]),
      roll,
      clean,
      configure({ 'cleanup.policy': 'compact' }),
      put([[null, 'refused']]),
      ...cleaned,
    ],
    { ...COMPACT, 'cleanup.policy': 'delete' },
  ),
  exact(
    'a policy without compact in between keeps the checkpoint',
    [
      ...rounds(6, ABC),
      roll,
      clean,
      configure({ 'cleanup.policy': 'delete' }),
      ...rounds(6, ABC),
      roll,
      clean,
      configure({ 'cleanup.policy': 'compact,delete' }),
      ...cleaned,
    ],
    { ...COMPACT, ...ROOMY },
  ),
  exact(
    'compact,delete: retention follows each round',
    [...times(4, ...rounds(6, ABC), roll, advance(1000), clean), files, advance(4000), clean, retain, files],
    { ...COMPACT, 'cleanup.policy': 'compact,delete', 'retention.ms': '3000', 'file.delete.delay.ms': '500' },
  ),
]

const maps = [1, 2, 5].map((keys) =>
  exact(
    `a map of ${keys} keys: as many rounds as it takes`,
    [
      ...rounds(12, ['a', 'b', 'c', 'd', 'e', 'f']),
      roll,
      put([
        ['a', null],
        ['b', 'x'],
        ['a', 'y'],
      ]),
      roll,
      ...cleaned,
    ],
    { ...COMPACT, ...ROOMY, ...mapOf(keys) },
  ),
)

const groups = [
  exact(
    'segments that have become small are joined, up to segment.bytes',
    [
      ...times(3, ...rounds(20, ABC, (n) => 'v'.repeat(n * 5))),
      roll,
      ...cleaned,
      ...rounds(20, ['d', 'e', 'f', 'g', 'h']),
      roll,
      ...cleaned,
    ],
    { ...COMPACT, 'segment.index.bytes': '400' },
  ),
  exact(
    'indexes that would not fit together keep segments apart',
    [...times(6, ...rounds(5, ['a', 'b', 'c', 'd', 'e', 'f', 'g'])), roll, ...cleaned],
    { ...COMPACT, ...ROOMY, 'segment.index.bytes': '60', 'index.interval.bytes': '0' },
  ),
  exact(
    'gaps of a follower, at the end of a segment too, and offsets far apart',
    [
      toFollower([
        fetched(0, [
          ['a', '1'],
          ['b', '1'],
        ]),
        fetched(10, [['a', '2']]),
      ]),
      roll,
      toFollower([fetched(100, [['a', '3']])]),
      roll,
      toFollower([
        fetched(2 ** 31 + 50, [
          ['a', '4'],
          ['b', null],
        ]),
      ]),
      roll,
      ...cleaned,
      toFollower([fetched(2 ** 31 + 60, [['a', '5']])]),
      roll,
      ...cleaned,
    ],
    COMPACT,
  ),
]

const between = [
  exact(
    'cut below what was cleaned, cut above it, and cleaned again',
    [
      ...rounds(9, ABC),
      roll,
      clean,
      ...rounds(9, ABC),
      roll,
      ...rounds(2, ABC),
      at('truncate', 15),
      ...cleaned,
      ...rounds(4, ABC),
      roll,
      clean,
      at('truncate', 7),
      ...rounds(4, ABC),
      roll,
      ...cleaned,
    ],
    { ...COMPACT, ...ROOMY },
  ),
  exact(
    'records are deleted below what was cleaned, and above it',
    [
      ...rounds(9, ABC),
      roll,
      clean,
      ...rounds(9, ABC),
      roll,
      at('deleteBefore', 4),
      clean,
      ...rounds(9, ABC),
      roll,
      at('deleteBefore', 22),
      ...cleaned,
      ...rounds(3, ABC),
      roll,
      at('deleteBefore', 29),
      ...cleaned,
    ],
    { ...COMPACT, ...ROOMY, 'cleanup.policy': 'compact,delete', 'retention.ms': '-1' },
  ),
  exact(
    'killed and opened again between rounds',
    [
      ...times(
        3,
        ...rounds(7, ABC),
        putBy([['p', 'x']], {}),
        roll,
        clean,
        ({ active }: View): Operation => ({
          op: 'crash',
          ms: '120000',
          baseOffset: active.baseOffset,
          damage: null,
        }),
        clean,
        reopen,
        clean,
      ),
    ],
    { ...COMPACT, ...ROOMY },
  ),
]

const compressed = [
  decoded(
    'batches of every codec, some of them kept in part',
    [
      ...CODEC_NAMES.map((codec) =>
        put(
          [
            ['a', codec],
            [codec, '1'],
            ['b', codec],
            [codec, null],
          ],
          codec,
        ),
      ),
      ...CODEC_NAMES.map((codec, n) =>
        putBy(
          [
            ['a', `${codec} again`],
            ['c', codec],
          ],
          { baseSequence: n * 2 },
          codec,
        ),
      ),
      roll,
      ...cleaned,
      ...CODEC_NAMES.map((codec) => put([['b', `last ${codec}`]], codec)),
      advance(2000),
      put([['b', 'end']]),
      roll,
      ...cleaned,
    ],
    { ...COMPACT, 'delete.retention.ms': '1000' },
  ),
  decoded(
    'LogAppendTime, compressed',
    [
      ...CODEC_NAMES.map((codec) =>
        put(
          [
            ['a', codec],
            ['b', codec],
            [codec, null],
          ],
          codec,
        ),
      ),
      roll,
      ...cleaned,
    ],
    { ...COMPACT, 'message.timestamp.type': 'LogAppendTime' },
  ),
]

export const cleaning: readonly NamedCase[] = [
  threeUsers,
  ...tombstones,
  ...lags,
  ...transactions,
  ...lastOnes,
  ...producers,
  ...policies,
  ...maps,
  ...groups,
  ...between,
  ...compressed,
  exact('LogAppendTime', [...rounds(9, ABC), put([['a', null]]), roll, ...cleaned], {
    ...COMPACT,
    ...ROOMY,
    'message.timestamp.type': 'LogAppendTime',
  }),
  ...([0, 1] as const).map((magic) =>
    exact(
      `messages of magic ${magic}, which become magic 2`,
      [
        toFollower([old(magic, 0, ['a', '1']), old(magic, 1, ['b', null]), old(magic, 2, ['a', '2'])]),
        roll,
        put([['c', '1']]),
        ...cleaned,
      ],
      COMPACT,
    ),
  ),
  exact('nothing to clean', [clean, put([['a', '1']]), clean, roll, ...cleaned], COMPACT),
]
