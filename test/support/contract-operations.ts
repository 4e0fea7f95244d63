/**
 * Random operations on one segment through the backend contract, and what a
 * backend answers to them in a form that can be compared with another's.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Backend, Lane, SliceBounds } from '../../lib/backend/contract.js'
import { type RawBatch, rawBatch } from './batches.js'
import {
  closeSegment,
  createSegment,
  offsetEntries,
  type SegmentFiles,
  timeEntries,
} from './segment-files.js'

export type Operation =
  | {
      kind: 'append'
      batches: RandomBatch[]
      seal: boolean
      offsets: [number, number][]
      times: [bigint, number][]
    }
  | { kind: 'truncateLog' | 'truncateIndex' | 'entry' | 'lookup'; at: number }
  | { kind: 'resizeIndexes'; capacityBytes: number }
  | { kind: 'trim' }
  | { kind: 'lookupTime'; timestamp: bigint }
  | { kind: 'reopen'; mode: 'write' | 'read' }
  | { kind: 'translate' | 'laneSlice'; target: number; bounds: SliceBounds }
  | { kind: 'read' | 'laneRead'; position: number; length: number }
  | {
      kind: 'scan'
      from: number
      end: number
      maxBatches: number
      checkCrc: boolean
      until: bigint | undefined
    }
  | { kind: 'flush' }

/** A batch and how far it goes on from the one before, with a byte that may be damaged. */
interface RandomBatch {
  fields: RawBatch
  gap: number
  damagedByte: number | undefined
}

const BASE = 500n
const SIZES = fc.oneof(fc.nat(300), fc.constantFrom(4035, 4096, 8131, 8192, 70_000))

const batch: fc.Arbitrary<RandomBatch> = fc.record({
  fields: fc.record({
    magic: fc.constantFrom(2, 2, 2, 2, 1, 0),
    lastOffsetDelta: fc.oneof(fc.nat(9), fc.constantFrom(-1, 2 ** 31 - 1)),
    payloadBytes: SIZES,
    maxTimestamp: fc.bigInt({ min: -2n, max: 50n }),
    attributes: fc.integer({ min: -128, max: 127 }),
    seed: fc.nat(255),
  }),
  gap: fc.oneof(
    { weight: 8, arbitrary: fc.nat(3) },
    { weight: 1, arbitrary: fc.constantFrom(-1, -600, 2 ** 31) },
  ),
  damagedByte: fc.option(fc.nat(80), { freq: 12, nil: undefined }),
}) as fc.Arbitrary<RandomBatch>

const place = fc.nat(20_000)
const bounds = fc.record({
  fromPosition: fc.oneof(fc.constant(0), place),
  endPosition: place,
  maxBytes: place,
  minOneBatch: fc.boolean(),
})

/** What a run of the test is made of. */
export const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        batches: fc.array(batch, { maxLength: 3 }),
        seal: fc.boolean(),
        offsets: fc.array(fc.tuple(fc.integer({ min: -5, max: 60 }), fc.integer({ min: -5, max: 20_000 })), {
          maxLength: 3,
        }),
        times: fc.array(fc.tuple(fc.bigInt({ min: -5n, max: 60n }), fc.nat(60)), { maxLength: 2 }),
      }),
    },
    fc.record({ kind: fc.constantFrom('truncateLog' as const), at: place }),
    fc.record({
      kind: fc.constantFrom('truncateIndex' as const, 'entry' as const, 'lookup' as const),
      at: fc.integer({ min: -2, max: 70 }),
    }),
    fc.record({ kind: fc.constant('resizeIndexes' as const), capacityBytes: fc.nat(300) }),
    fc.record({ kind: fc.constant('trim' as const) }),
    fc.record({ kind: fc.constant('lookupTime' as const), timestamp: fc.bigInt({ min: -6n, max: 70n }) }),
    fc.record({
      kind: fc.constant('reopen' as const),
      mode: fc.constantFrom('write' as const, 'write' as const, 'read' as const),
    }),
    fc.record({
      kind: fc.constantFrom('translate' as const, 'laneSlice' as const),
      target: fc.integer({ min: -3, max: 80 }),
      bounds,
    }),
    fc.record({
      kind: fc.constantFrom('read' as const, 'laneRead' as const),
      position: place,
      length: place,
    }),
    fc.record({
      kind: fc.constant('scan' as const),
      from: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: place }),
      end: fc.oneof(fc.constant(2 ** 31 - 1), place),
      maxBatches: fc.oneof(fc.constant(1000), fc.nat(3)),
      checkCrc: fc.boolean(),
      until: fc.option(fc.bigInt({ min: -3n, max: 52n }), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant('flush' as const) }),
  ),
  { minLength: 1, maxLength: 25 },
)

/** One backend at work on a segment in a directory of its own. */
export class Subject {
  readonly #backend: Backend
  readonly #lane: Lane
  #files: SegmentFiles
  #nextOffset = BASE

  constructor(backend: Backend, lane: Lane, directory: string, preallocateBytes: number | undefined) {
    const options = preallocateBytes === undefined ? {} : { preallocateBytes }
    this.#backend = backend
    this.#lane = lane
    this.#files = createSegment(backend, directory, { baseOffset: BASE, capacityBytes: 100, ...options })
  }

  /** Carries an operation out: its answer or its error, as plain values. */
  async apply(operation: Operation): Promise<unknown> {
    try {
      return { answer: plain(await this.#run(operation)) }
    } catch (error) {
      const { name, code, syscall, errno, position, damaged } = error as Record<string, unknown>
      return { name, code, syscall, errno, position, damaged }
    }
  }

  /** All that can be seen of the files, on disk and through the handles. */
  state(): unknown {
    const { log, offsetIndex, timeIndex } = this.#files
    const seen = [
      log.sizeInBytes,
      ...[offsetIndex, timeIndex].flatMap((i) => [i.entries, i.capacity, i.oddBytes]),
    ]
    const bytes = [log, offsetIndex, timeIndex].map(({ path }) => readFileSync(path).toString('base64'))
    return { seen, bytes }
  }

  close(): Promise<void> {
    return closeSegment(this.#files)
  }

  async #run(operation: Operation): Promise<unknown> {
    const { log, offsetIndex, timeIndex } = this.#files
    switch (operation.kind) {
      case 'append':
        return this.#append(operation)
      case 'truncateLog':
        return log.truncate(Math.min(operation.at, log.sizeInBytes + 1))
      case 'truncateIndex':
        return [offsetIndex.truncate(operation.at), timeIndex.truncate(operation.at)]
      case 'entry':
        return [offsetIndex.entry(operation.at), timeIndex.entry(operation.at)]
      case 'lookup':
        return offsetIndex.lookup(operation.at)
      case 'lookupTime':
        return timeIndex.lookup(operation.timestamp)
      case 'resizeIndexes':
        return [offsetIndex.resize(operation.capacityBytes), timeIndex.resize(operation.capacityBytes)]
      case 'trim':
        return [log.trim(), offsetIndex.trim(), timeIndex.trim()]
      case 'reopen':
        return this.#reopen(operation.mode)
      case 'translate':
        return [
          log.translate(offsetIndex, operation.target),
          log.sliceBlocking(offsetIndex, operation.target, operation.bounds),
        ]
      case 'laneSlice':
        return this.#lane.slice(log, offsetIndex, operation.target, operation.bounds)
      case 'read':
        return log.readBlocking(operation.position, operation.length)
      case 'laneRead':
        return this.#lane.read(log, operation.position, operation.length)
      case 'scan':
        return this.#scan(operation)
      case 'flush':
        return this.#lane.flush([log, offsetIndex, timeIndex])
    }
  }

  #append({ batches, seal, offsets, times }: Operation & { kind: 'append' }): void {
    const bytes = Buffer.concat(batches.map((random) => this.#bytesOf(random)))
    const isSealable = seal && batches.length === 1 && bytes[16] === 2
    const entries = { offsetEntries: offsetEntries(...offsets), timeEntries: timeEntries(...times) }
    const request = { bytes, length: bytes.length, seal: isSealable, ...entries }
    this.#files.log.append(request, this.#files.offsetIndex, this.#files.timeIndex)
  }

  #bytesOf({ fields, gap, damagedByte }: RandomBatch): Buffer {
    const baseOffset = this.#nextOffset + BigInt(gap)
    const bytes = rawBatch({ ...fields, baseOffset })
    if (gap >= 0 && gap < 100)
      this.#nextOffset = baseOffset + BigInt(Math.max(0, Math.min(fields.lastOffsetDelta ?? 0, 99))) + 1n
    if (damagedByte !== undefined && damagedByte < bytes.length)
      bytes[damagedByte] = (bytes[damagedByte] as number) ^ 0x11
    return bytes
  }

  async #reopen(mode: 'write' | 'read'): Promise<void> {
    const { log, offsetIndex, timeIndex } = this.#files
    await this.close()
    const options = { mode, capacityBytes: 0 }
    this.#files = {
      log: this.#backend.openLogFile(log.path, { mode, baseOffset: BASE }),
      offsetIndex: this.#backend.openIndexFile(offsetIndex.path, { kind: 'offset', ...options }),
      timeIndex: this.#backend.openIndexFile(timeIndex.path, { kind: 'time', ...options }),
    }
  }

  async #scan({ from, end, maxBatches, checkCrc, until }: Operation & { kind: 'scan' }): Promise<unknown> {
    const options = { fromPosition: from, endPosition: end, maxBatches, checkCrc }
    const scan = await this.#lane.scan(
      this.#files.log,
      until === undefined ? options : { ...options, untilTimestamp: until },
    )
    const { count, ...columns } = scan.batches
    // Columns may have rows to spare, and come in any order.
    const names = Object.keys(columns).sort() as (keyof typeof columns)[]
    return { ...scan, batches: names.map((name) => [name, ...columns[name].slice(0, count)]) }
  }
}

/** Bytes and bigints as text, so that values from two backends compare and print alike. */
function plain(value: unknown): unknown {
  if (value === undefined) return null
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)))
}
