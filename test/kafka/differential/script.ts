/**
 * Random scripts, told in words that stay meaningful when fast-check leaves
 * steps out: a place in the log as a share of it, a time as a distance from
 * the clock. `resolve.ts` makes operations of them.
 */
import fc from 'fast-check'
import type { CodecName } from '../../../lib/format/compression.js'
import { damages } from './damage.js'
import type { Comparison, Settings } from './operation.js'
import { settingsFor } from './script-settings.js'

/** Milliseconds from the clock, none at all, the clock itself, or about the least and most that the log takes. */
export type Time =
  | number
  | 'none'
  | 'clock'
  | { readonly limit: 'before' | 'after'; readonly beyondMs: number }

export interface SomeRecord {
  readonly key: string | null
  readonly valueBytes: number | null
  readonly headers: readonly (string | null)[]
  readonly time: Time
}

export interface SomeBatch {
  readonly records: readonly SomeRecord[]
  readonly codec: CodecName
}

/** An offset: the n-th part of the log, of its segments' or its epochs' starts, or of its batches, and a little beside it. */
export interface Place {
  readonly of: 'log' | 'segments' | 'epochs' | 'batches'
  readonly perMille: number
  readonly beside: number
}

export type Step =
  | ({ readonly kind: 'append' | 'leader'; readonly epochsOn: number | null } & SomeBatch)
  | {
      readonly kind: 'damaged'
      readonly batch: SomeBatch
      readonly damage: (typeof damages)[number]
      readonly by: number
    }
  | {
      readonly kind: 'follower'
      readonly batches: readonly (SomeBatch & {
        readonly gap: number
        readonly epoch: number
        readonly by: {
          readonly who: number
          readonly as: 'plain' | 'transactional' | 'commit' | 'abort'
        } | null
      })[]
      /** Bytes that are missing at the end. */
      readonly cutBytes: number
      /** The follower's own epoch, above the log's latest; null: it takes all. */
      readonly knows: number | null
      /** Offsets between the active segment's start and the first batch: 31 bits and more. */
      readonly far: boolean
      readonly fault: 'none' | 'checksum' | 'order' | 'below-end'
    }
  | ({
      readonly kind: 'produce'
      /** Who, of some producers. */
      readonly who: number
      readonly via: 'append' | 'leader'
      readonly turn: 'next' | 'repeat' | 'gap' | 'wrap' | 'epoch-up' | 'epoch-down'
      /** Which of the last batches is repeated. */
      readonly perMille: number
      /** Begins or goes on with a transaction. */
      readonly transactional: boolean
    } & SomeBatch)
  | {
      readonly kind: 'marker'
      readonly who: number
      readonly commit: boolean
      readonly epochsOn: number
      readonly coordinatorsOn: number
      readonly transactionVersion: number
    }
  | { readonly kind: 'advance'; readonly ms: number }
  | {
      readonly kind: 'crash'
      readonly damage: 'none' | 'cut' | 'flip' | 'zeros' | 'copy'
      readonly perMille: number
    }
  | { readonly kind: 'roll' | 'reopen' | 'maxTime' | 'retain' | 'clean' }
  | { readonly kind: 'configure'; readonly settings: Settings }
  | { readonly kind: 'flush'; readonly force: boolean }
  | {
      readonly kind: 'highWatermark' | 'deleteBefore' | 'truncate' | 'locate' | 'read'
      readonly place: Place
      readonly committed?: boolean
    }
  | {
      readonly kind: 'fetch'
      readonly place: Place
      readonly maxBytes: number
      readonly minOneBatch: boolean
      readonly committed?: boolean
    }
  /** A time beside the clock, or beside the largest of a segment. */
  | {
      readonly kind: 'time'
      readonly of: 'clock' | 'segments'
      readonly perMille: number
      readonly beside: number
    }
  /** An epoch beside one that the log knows. */
  | { readonly kind: 'epochEnd'; readonly perMille: number; readonly beside: number }

export interface Script {
  readonly comparison: Comparison
  readonly settings: Settings
  readonly highWatermark: 'auto' | 'manual'
  readonly steps: readonly Step[]
}

export const MOST_STEPS = 60

const time: fc.Arbitrary<Time> = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: -3000, max: 500 }) },
  { weight: 3, arbitrary: fc.constantFrom('none' as const, 'clock' as const) },
  { weight: 1, arbitrary: fc.constantFrom(-1_767_225_600_000, 3_000_000, -86_400_000) },
  {
    weight: 1,
    arbitrary: fc.record({
      limit: fc.constantFrom('before' as const, 'after' as const),
      beyondMs: fc.integer({ min: -1, max: 1 }),
    }),
  },
)

const valueBytes = fc.option(
  fc.oneof(
    { weight: 6, arbitrary: fc.nat(40) },
    { weight: 1, arbitrary: fc.constantFrom(0, 63, 64) },
    { weight: 1, arbitrary: fc.nat(700) },
  ),
  { freq: 6 },
)

const record: fc.Arbitrary<SomeRecord> = fc.record({
  key: fc.option(fc.string({ unit: 'grapheme', maxLength: 5 }), { freq: 12 }),
  valueBytes,
  headers: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.option(fc.string({ maxLength: 4 })), { maxLength: 3 }) },
  ),
  time,
})

const codec = fc.constantFrom<CodecName>('none', 'none', 'none', 'gzip', 'snappy', 'lz4', 'zstd')

const batch: fc.Arbitrary<SomeBatch> = fc.record({
  records: fc.array(record, { minLength: 1, maxLength: 5 }),
  codec,
})

const place: fc.Arbitrary<Place> = fc.record({
  of: fc.constantFrom('log' as const, 'segments' as const, 'epochs' as const, 'batches' as const),
  perMille: fc.nat(1000),
  beside: fc.integer({ min: -1, max: 1 }),
})

export const append = batch.chain((one) =>
  fc.record({
    kind: fc.constantFrom('append' as const, 'leader' as const),
    records: fc.constant(one.records),
    codec: fc.constant(one.codec),
    epochsOn: fc.option(fc.constantFrom(0, 0, 0, 1, 2)),
  }),
)

const damaged = fc.record({
  kind: fc.constant('damaged' as const),
  batch,
  damage: fc.constantFrom(...damages),
  by: fc.nat(1000),
})

export const follower = fc.record({
  kind: fc.constant('follower' as const),
  batches: fc.array(
    fc.record({
      records: fc.array(record, { minLength: 1, maxLength: 3 }),
      codec,
      gap: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(9) }),
      epoch: fc.constantFrom(0, 0, 0, 1, -1),
      by: fc.option(
        fc.record({
          who: fc.nat(3),
          as: fc.constantFrom(
            'plain' as const,
            'transactional' as const,
            'commit' as const,
            'abort' as const,
          ),
        }),
        { freq: 1 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  cutBytes: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(90) }),
  knows: fc.option(fc.constantFrom(0, 1), { freq: 2 }),
  far: fc.nat(19).map((n) => n === 19),
  fault: fc.constantFrom(
    'none' as const,
    'none' as const,
    'none' as const,
    'none' as const,
    'none' as const,
    'checksum' as const,
    'order' as const,
    'below-end' as const,
  ),
})

export const produce = batch.chain((one) =>
  fc.record({
    kind: fc.constant('produce' as const),
    who: fc.nat(3),
    via: fc.constantFrom('append' as const, 'leader' as const),
    turn: fc.oneof(
      { weight: 8, arbitrary: fc.constant('next' as const) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          'repeat' as const,
          'gap' as const,
          'wrap' as const,
          'epoch-up' as const,
          'epoch-down' as const,
        ),
      },
    ),
    perMille: fc.nat(1000),
    transactional: fc.boolean(),
    records: fc.constant(one.records),
    codec: fc.constant(one.codec),
  }),
)

export const marker = fc.record({
  kind: fc.constant('marker' as const),
  who: fc.nat(3),
  commit: fc.boolean(),
  epochsOn: fc.constantFrom(0, 0, 0, 1, 1, -1),
  coordinatorsOn: fc.constantFrom(0, 0, 0, 1, -1),
  transactionVersion: fc.constantFrom(1, 1, 2),
})

export const cuts = fc.record({
  kind: fc.constantFrom('truncate' as const, 'deleteBefore' as const, 'highWatermark' as const),
  place,
})

export const looks: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('fetch' as const),
    place,
    maxBytes: fc.oneof(fc.nat(2000), fc.constantFrom(0, 1, 1 << 20)),
    minOneBatch: fc.boolean(),
    committed: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('locate' as const, 'read' as const), place, committed: fc.boolean() }),
  fc.record({
    kind: fc.constant('time' as const),
    of: fc.constantFrom('clock' as const, 'segments' as const),
    perMille: fc.nat(1000),
    beside: fc.integer({ min: -3000, max: 500 }),
  }),
  fc.constant({ kind: 'maxTime' as const }),
  fc.record({
    kind: fc.constant('epochEnd' as const),
    perMille: fc.nat(1000),
    beside: fc.integer({ min: -2, max: 2 }),
  }),
)

export const crash = fc.record({
  kind: fc.constant('crash' as const),
  damage: fc.constantFrom(
    'none' as const,
    'cut' as const,
    'flip' as const,
    'zeros' as const,
    'copy' as const,
  ),
  perMille: fc.nat(1000),
})

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 22, arbitrary: append },
  { weight: 16, arbitrary: produce },
  { weight: 5, arbitrary: marker },
  { weight: 3, arbitrary: damaged },
  { weight: 8, arbitrary: follower },
  { weight: 8, arbitrary: looks },
  { weight: 4, arbitrary: cuts },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(4000) }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'retain' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'roll' }, { kind: 'reopen' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const), force: fc.boolean() }) },
  { weight: 1, arbitrary: crash },
)

/** A script of one of the two kinds. */
export function scriptOf(comparison: Comparison): fc.Arbitrary<Script> {
  return fc.record({
    comparison: fc.constant(comparison),
    settings: settingsFor(comparison),
    highWatermark: fc.constantFrom('auto' as const, 'auto' as const, 'auto' as const, 'manual' as const),
    steps: fc.array(step, { minLength: MOST_STEPS / 2, maxLength: MOST_STEPS, size: 'max' }),
  })
}
