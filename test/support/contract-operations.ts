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
type Place = { batch: number } | { perMille: number }

/** A batch and how far it goes on from the one before, with a byte that may be damaged. */
interface RandomBatch {
  fields: RawBatch
  gap: number
  damagedByte: number | undefined
}

const BASE = 500n

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

/** One backend at work on a segment in a directory of its own. */
export class Subject {
  readonly #backend: Backend
  readonly #lane: Lane
  #files: SegmentFiles
  #nextOffset = BASE
  /** Where the batches begin that were appended. */
  #starts: number[] = [0]

  constructor(backend: Backend, lane: Lane, directory: string, preallocateBytes: number | undefined) {
    const options = preallocateBytes === undefined ? {} : { preallocateBytes }
    this.#backend = backend
    this.#lane = lane
    this.#files = createSegment(backend, directory, { baseOffset: BASE, capacityBytes: 400, ...options })
  }

  /** Carries an operation out: its answer or its error, as plain values. */
  async apply(operation: Operation): Promise<unknown> {
    try {
      return { answer: plain(await this.#run(operation)) }
    } catch (error) {
      const { name, code, syscall, errno, position, damaged } = error as Record<string, unknown>
      if (code === undefined) throw error
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
        return this.#truncate(this.#position(operation.at))
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
          log.sliceBlocking(offsetIndex, operation.target, this.#bounds(operation)),
        ]
      case 'laneSlice':
        return this.#lane.slice(log, offsetIndex, operation.target, this.#bounds(operation))
      case 'read':
        return log.readBlocking(this.#position(operation.from), operation.length)
      case 'laneRead':
        return this.#lane.read(log, this.#position(operation.from), operation.length)
      case 'scan':
        return this.#scan(operation)
      case 'flush':
        return this.#lane.flush([log, offsetIndex, timeIndex])
    }
  }

  #append({ batches, seal, offsets, times }: Operation & { kind: 'append' }): void {
    const parts = batches.map((random) => this.#bytesOf(random))
    const bytes = Buffer.concat(parts)
    const isSealable = seal && batches.length === 1 && bytes[16] === 2
    const entries = { offsetEntries: offsetEntries(...offsets), timeEntries: timeEntries(...times) }
    const request = { bytes, length: bytes.length, seal: isSealable, ...entries }
    const { log, offsetIndex, timeIndex } = this.#files
    const position = log.sizeInBytes
    log.append(request, offsetIndex, timeIndex)
    for (const part of parts) this.#starts.push((this.#starts.at(-1) ?? 0) + part.length)
    if (log.sizeInBytes !== position + bytes.length) throw new Error(`${log.sizeInBytes} after ${position}`)
  }

  #truncate(sizeInBytes: number): void {
    this.#files.log.truncate(sizeInBytes)
    this.#starts = [...this.#starts.filter((position) => position < sizeInBytes), sizeInBytes]
  }

  #position(place: Place): number {
    if ('batch' in place) return this.#starts[place.batch % this.#starts.length] ?? 0
    return Math.floor((this.#files.log.sizeInBytes * place.perMille) / 1000)
  }

  #bounds({
    from,
    end,
    maxBytes,
    minOneBatch,
  }: Operation & { kind: 'translate' | 'laneSlice' }): SliceBounds {
    return { fromPosition: this.#position(from), endPosition: this.#position(end), maxBytes, minOneBatch }
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
    const options = {
      fromPosition: this.#position(from),
      endPosition: this.#position(end),
      maxBatches,
      checkCrc,
    }
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
