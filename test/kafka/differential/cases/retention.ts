/** What retention takes and leaves, asked for and when it is due, and the checkpoints that are written meanwhile. */
import type { Settings } from '../operation.js'
import {
  advance,
  append,
  at,
  batchBytes,
  files,
  record,
  reopen,
  retain,
  roll,
  times,
  toFollower,
  wire,
} from './moves.js'
import { exact, type NamedCase } from './named-case.js'

const BATCH = batchBytes(10)

/** Ten segments of one batch, each a second older than the next; the youngest bears the clock's time. */
const TEN = Array.from({ length: 10 }, (_, n) => [append([record({ time: (n - 9) * 1000 })]), roll]).flat()

/** Offsets 0 to 19 in five segments, each in a leader epoch of its own. */
const EPOCHS = Array.from({ length: 5 }, (_, n) => [
  append([record(), record(), record(), record()], { epochsOn: n === 0 ? 0 : 1 }),
  roll,
]).flat()

/** What a check does must be the same after another, and after the log was opened again. */
const checked = [retain, files, advance(999), advance(1), advance(60_000), files, retain, reopen, retain]
const after = [append([record()]), at('read', 0), reopen, append([record()])]

const NEVER: Settings = { 'retention.ms': '-1', 'retention.bytes': '-1' }
/** Nothing is due in the background unless a case says when. */
const WAIT: Settings = { 'log.initial.task.delay.ms': '1000', 'log.retention.check.interval.ms': '7001' }

const byTime = [8999, 9000, 8000, 1, 0].map((retentionMs) =>
  exact(`older than ${retentionMs} ms`, [...TEN, advance(1), ...checked, ...after], {
    ...NEVER,
    'retention.ms': `${retentionMs}`,
  }),
)

const bySize = [-1, 0, 1].flatMap((more) =>
  [0, 3, 10].map((batches) => {
    const bytes = Math.max(0, batches * BATCH + more)
    return exact(`more than ${bytes} bytes, from ${batches} batches and ${more}`, [...TEN, ...checked], {
      ...NEVER,
      'retention.bytes': `${bytes}`,
    })
  }),
)

const byStart = ['delete', 'compact,delete'].map((policy) =>
  exact(
    `below the log start, cleanup.policy "${policy}"`,
    [...EPOCHS, ...[3, 4, 5, 8, 19, 20].flatMap((offset) => [at('deleteBefore', offset), retain]), ...after],
    { ...NEVER, 'cleanup.policy': policy },
  ),
)

const policies = ['delete', 'compact', 'compact,delete', ''].flatMap((policy) =>
  ([{ 'retention.ms': '5000' }, { 'retention.bytes': '100' }] as const).map((rule) =>
    exact(
      `${Object.keys(rule)} and cleanup.policy "${policy}", in the background and asked for`,
      [...TEN, advance(1000), files, ...checked, ...after],
      { ...NEVER, ...rule, ...WAIT, 'cleanup.policy': policy },
    ),
  ),
)

const delays = [0, 1, 60_000].map((delayMs) =>
  exact(
    `deleted files stay for ${delayMs} ms`,
    [...TEN, retain, files, ...[1, 58_998, 1, 1].flatMap((ms) => [advance(ms), files]), reopen, files],
    { ...NEVER, 'retention.bytes': `${BATCH * 4}`, 'file.delete.delay.ms': `${delayMs}` },
  ),
)

export const retention: readonly NamedCase[] = [
  ...byTime,
  ...bySize,
  ...byStart,
  ...policies,
  ...delays,
  exact(
    'all segments go, and an empty one is rolled first',
    [...EPOCHS, append([record()], { epochsOn: 1 }), advance(1), retain, retain, files, ...after],
    { ...NEVER, 'retention.ms': '0' },
  ),
  exact(
    'times of the future stay, and what lies behind them',
    [append([record({ time: 5000 })]), roll, append([record({ time: -9000 })]), roll, advance(5000), retain]
      .concat([advance(1), retain])
      .concat(after),
    { ...NEVER, 'retention.ms': '0' },
  ),
  exact(
    'nothing at or above the high watermark goes',
    [
      ...TEN,
      retain,
      ...[1, 4, 9].flatMap((offset) => [at('highWatermark', offset), retain, advance(10_000), files]),
      reopen,
      at('highWatermark', 10),
      retain,
    ],
    { ...NEVER, 'retention.bytes': '0' },
    'manual',
  ),
  exact(
    'gaps at a segment end, and a start within what stays',
    [
      toFollower([wire(0, { count: 3 }), wire(10, { count: 3 })]),
      roll,
      toFollower([wire(20, { count: 3 })]),
      roll,
      toFollower([wire(30, { count: 3 })]),
      at('deleteBefore', 15),
      retain,
      at('deleteBefore', 21),
      retain,
      ...after,
    ],
    NEVER,
  ),
  exact(
    'checked when it is due, and no sooner',
    [
      ...times(3, append([record()]), roll, advance(333)),
      ...[1, 999, 1, 7000, 1, 7001].flatMap((ms) => [append([record()]), roll, advance(ms)]),
    ],
    { ...NEVER, ...WAIT, 'retention.ms': '500', 'file.delete.delay.ms': '4000' },
  ),
  exact('a start in the checkpoint until retention has taken what lies below', [
    ...TEN,
    at('deleteBefore', 8),
  ]),
  exact(
    'the checkpoints of a log that is cut from below',
    [...TEN, at('deleteBefore', 5), advance(120_000), retain, append([record()]), at('deleteBefore', 11)],
    NEVER,
  ),
]
