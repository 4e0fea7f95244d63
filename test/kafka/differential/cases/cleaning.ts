/** What a cleaner leaves of a compacted log. */

import { toBase64 } from '../operation.js'
import type { Move } from '../run-script.js'
import { advance, at, clean, files } from './moves.js'
import { exact, type NamedCase } from './named-case.js'

const COMPACT = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01' }

/** Records with these keys and values; null is a tombstone. */
const pairs = (...all: readonly (readonly [key: string, value: string | null])[]): Move => ({
  op: 'append',
  codec: 'none',
  leaderEpoch: 0,
  records: all.map(([key, value]) => ({
    timestamp: null,
    key: toBase64(Buffer.from(key)),
    value: value === null ? null : toBase64(Buffer.from(value)),
    headers: [],
  })),
})

export const cleaning: readonly NamedCase[] = [
  exact(
    'three users with three values each, one tombstone: offsets 6, 8 and 9 stay',
    [
      pairs(
        ...['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'].map(
          (value, n): readonly [string, string] => [`user${(n % 3) + 1}`, value],
        ),
        ['user2', null],
      ),
      advance(6000),
      pairs(['user4', 'd1']),
      files,
      clean,
      files,
      at('read', 0),
      clean,
    ],
    { ...COMPACT, 'segment.ms': '5000' },
  ),
]
