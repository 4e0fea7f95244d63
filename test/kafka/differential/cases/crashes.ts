/** A process that is killed, with or without damage to what it left, and what recovery makes of it. */
import type { TailDamage } from '../operation.js'
import type { Move } from '../run-script.js'
import type { View } from '../view.js'
import {
  append,
  at,
  batchesOfThree,
  flush,
  looks,
  maxTime,
  record,
  reopen,
  roll,
  time,
  times,
  toFollower,
  wire,
} from './moves.js'
import { exact, type NamedCase } from './named-case.js'

/** Twelve batches of three records in several segments, an epoch for each few. */
const TWELVE = batchesOfThree(12)

/** Kills it, and damages its segment `fromEnd`, 0 for the last. */
function crash(
  damage: ((sizeInBytes: number) => Omit<TailDamage, 'sizeInBytes'>) | null = null,
  { fromEnd = 0, ms = 0 } = {},
): Move {
  return ({ state }: View) => {
    const { baseOffset, sizeInBytes } = state.segments.at(-1 - fromEnd) ?? { baseOffset: '0', sizeInBytes: 0 }
    return {
      op: 'crash',
      ms: `${ms}`,
      baseOffset,
      damage: damage && { sizeInBytes, ...damage(sizeInBytes) },
    }
  }
}

const cut = (bytes: number) => (size: number) => ({ kind: 'cut', bytes: Math.max(0, size - bytes) }) as const
const after = [
  append([record({ time: 900 })]),
  ...looks(0, 3),
  ...looks(33, 37),
  time(55),
  maxTime,
  reopen,
  append([record()]),
]

export const crashes: readonly NamedCase[] = [
  exact('killed before anything was flushed', [...TWELVE, crash(), ...after]),
  exact('killed after a flush', [...TWELVE, flush, crash(), ...after]),
  exact('killed, and killed again', [...TWELVE, crash(), append([record()]), crash(), crash(), ...after]),
  exact('killed without a record', [crash(), crash(), append([record()]), crash()]),
  exact('killed behind a roll', [...TWELVE, roll, crash(), ...after]),
  exact('killed with preallocated files', [...TWELVE, crash(), ...after], { preallocate: 'true' }),
  ...[1, 61, 200, 1_000].map((bytes) =>
    exact(`killed, and ${bytes} bytes of the last segment are missing`, [
      ...TWELVE,
      crash(cut(bytes)),
      ...after,
    ]),
  ),
  ...[1, 2].map((fromEnd) =>
    exact(`killed, and the segment ${fromEnd} before the last is torn: what lies behind goes`, [
      ...TWELVE,
      crash(cut(30), { fromEnd }),
      ...after,
    ]),
  ),
  exact('killed, and a byte of an earlier segment is another', [
    ...TWELVE,
    crash((size) => ({ kind: 'flip', bytes: size - 1 }), { fromEnd: 2 }),
    ...after,
  ]),
  exact('killed, and a byte of the last batch is another', [
    ...TWELVE,
    crash((size) => ({ kind: 'flip', bytes: size - 1 })),
    ...after,
  ]),
  exact('killed, and zeros or an old batch lie behind the end', [
    ...TWELVE,
    crash(() => ({ kind: 'zeros', bytes: 5_000 })),
    append([record()]),
    crash(() => ({ kind: 'zeros', bytes: 5 })),
    append([record()]),
    crash(() => ({ kind: 'copy', bytes: 100 })),
    ...after,
  ]),
  exact('killed after the checkpoints were written, with gaps and epochs of a leader', [
    ...times(3, append([record({ valueBytes: 200 })])),
    toFollower([wire(5, { partitionLeaderEpoch: 3 }), wire(9, { partitionLeaderEpoch: 4 })]),
    crash(cut(1), { ms: 120_000 }),
    toFollower([wire(20, { partitionLeaderEpoch: 5 })]),
    crash(null, { ms: 120_000 }),
    at('truncate', 7),
    crash(),
    append([record()]),
  ]),
]
