/**
 * Random operations on one segment through the backend contract: mostly what
 * an engine does, now and then what only a damaged file or a fault would ask.
 */
import fc from 'fast-check'
import type { RawBatch } from './batches.js'

export type Operation =
  | {
      kind: 'append'
      batches: RandomBatch[]
      seal: boolean
      offsets: [number, number][]
      times: [bigint, number][]
    }
  | { kind: 'truncateIndex' | 'entry' | 'lookup'; at: number }
  | { kind: 'truncateLog'; at: Place }
  | { kind: 'resizeIndexes'; capacityBytes: number }
  | { kind: 'trim' | 'flush' }
  | { kind: 'lookupTime'; timestamp: bigint }
  | { kind: 'reopen'; mode: 'write' | 'read' }
  | {
      kind: 'translate' | 'laneSlice'
      target: number
      from: Place
      end: Place
      maxBytes: number
      minOneBatch: boolean
    }
  | { kind: 'read' | 'laneRead'; from: Place; length: number }
  | {
      kind: 'scan'
      from: Place
      end: Place
      maxBatches: number
      checkCrc: boolean
      until: bigint | undefined
    }

/** A position, told by what has been written: the start of a batch, or so many thousandths of the log. */
export type Place = { batch: number } | { perMille: number }

/** A batch and how far it goes on from the one before, with a byte that may be damaged. */
export interface RandomBatch {
  fields: RawBatch
  gap: number
  damagedByte: number | undefined
}

/** Mostly `usual`, one time in `1 + weight` what is `rare`. */
function mostly<T>(weight: number, usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare })
}

const batch: fc.Arbitrary<RandomBatch> = fc.record({
  fields: fc.record({
    magic: fc.constantFrom<0 | 1 | 2>(2, 2, 2, 2, 1, 0),
    lastOffsetDelta: mostly(15, fc.nat(9), fc.constantFrom(-1, 2 ** 31 - 1)),
    payloadBytes: mostly(3, fc.nat(300), fc.constantFrom(4035, 4096, 8131, 8192, 70_000)),
    maxTimestamp: fc.bigInt({ min: -2n, max: 50n }),
    attributes: fc.integer({ min: -128, max: 127 }),
    count: fc.nat(10),
    seed: fc.nat(255),
  }),
  gap: mostly(15, fc.nat(3), fc.constantFrom(-1, -600, 2 ** 31)),
  damagedByte: mostly<number | undefined>(12, fc.constant(undefined), fc.nat(80)),
})

const anywhere: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ batch: fc.nat(12) }),
  fc.record({ perMille: fc.integer({ min: -1, max: 1100 }) }),
)
const start = mostly<Place>(3, fc.constant({ batch: 0 }), anywhere)
const end = mostly<Place>(2, fc.constant({ perMille: 1000 }), anywhere)
const small = fc.integer({ min: -2, max: 40 })

const offsetEntry = fc.tuple(fc.integer({ min: -1, max: 60 }), fc.nat(2000))
const timeEntry = fc.tuple(fc.bigInt({ min: -5n, max: 60n }), fc.nat(60))

const appending = fc.record({
  kind: fc.constant('append' as const),
  batches: fc.array(batch, { maxLength: 3 }),
  seal: fc.boolean(),
  offsets: mostly<[number, number][]>(3, fc.constant([]), fc.array(offsetEntry, { maxLength: 2 })),
  times: mostly<[bigint, number][]>(3, fc.constant([]), fc.array(timeEntry, { maxLength: 2 })),
})

const cutting = fc.oneof<fc.Arbitrary<Operation>[]>(
  fc.record({ kind: fc.constant('truncateLog'), at: anywhere }),
  fc.record({ kind: fc.constant('truncateIndex'), at: small }),
  fc.record({ kind: fc.constant('resizeIndexes'), capacityBytes: fc.nat(500) }),
  fc.record({ kind: fc.constant('trim') }),
  fc.record({ kind: fc.constant('reopen'), mode: fc.constantFrom('write', 'write', 'read') }),
  fc.record({ kind: fc.constant('flush') }),
)

const reading = fc.oneof<fc.Arbitrary<Operation>[]>(
  fc.record({ kind: fc.constantFrom('entry', 'lookup'), at: small }),
  fc.record({ kind: fc.constant('lookupTime'), timestamp: fc.bigInt({ min: -6n, max: 70n }) }),
  fc.record({
    kind: fc.constantFrom('translate', 'laneSlice'),
    target: fc.integer({ min: -3, max: 60 }),
    from: start,
    end,
    maxBytes: fc.nat(20_000),
    minOneBatch: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('read', 'laneRead'),
    from: anywhere,
    length: fc.integer({ min: -1, max: 20_000 }),
  }),
  fc.record({
    kind: fc.constant('scan'),
    from: start,
    end,
    maxBatches: mostly(2, fc.constant(1000), fc.nat(3)),
    checkCrc: fc.boolean(),
    until: mostly<bigint | undefined>(2, fc.constant(undefined), fc.bigInt({ min: -3n, max: 52n })),
  }),
)

/** What a run of the test is made of. */
export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: appending },
    { weight: 1, arbitrary: cutting },
    { weight: 4, arbitrary: reading },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
)
