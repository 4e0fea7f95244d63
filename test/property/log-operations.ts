/**
 * Random operations on one log, and a subject that carries them out and tells
 * results and errors as plain values, so that two subjects, or a subject and a
 * model, can be compared.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import type { Backend } from '../../lib/backend/contract.js'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import { recordBatches } from '../../lib/format/batches.js'
import type { CodecName } from '../../lib/format/compression.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import type { LogRecord, RecordInput } from '../../lib/format/record.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenSegments } from '../../lib/segment/open-segments.js'
import { START_MS, type TestMachine, testMachine } from '../support/machine.js'

/** A record, its time told as distance from the clock; undefined: none given. */
interface RandomRecord {
  readonly key: string | null
  readonly valueBytes: number | null
  readonly aheadMs: number | 'none' | undefined
}

interface RandomBatch {
  readonly gap: number
  readonly records: readonly RandomRecord[]
  readonly codec: CodecName
  readonly epoch: number
}

export type Operation =
  | {
      kind: 'append' | 'leader'
      records: readonly RandomRecord[]
      codec: CodecName
      epoch: number | undefined
    }
  | { kind: 'follower'; batches: readonly RandomBatch[]; cutBytes: number; maxEpoch: number | undefined }
  | { kind: 'roll' | 'flush' | 'reopen' }
  | { kind: 'truncate' | 'deleteBefore'; perMille: number }
  | { kind: 'advance'; ms: number }
  | { kind: 'read'; fromPerMille: number; maxBytes: number; maxRecords: number | undefined; batches: boolean }
  | { kind: 'fetch' | 'locate'; fromPerMille: number; maxBytes: number }
  | { kind: 'time'; aheadMs: number }

const codec = fc.constantFrom<CodecName>('none', 'none', 'none', 'gzip', 'snappy', 'lz4', 'zstd')

const record: fc.Arbitrary<RandomRecord> = fc.record({
  key: fc.option(fc.string({ maxLength: 6 })),
  valueBytes: fc.option(
    fc.oneof({ weight: 5, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(600) }),
  ),
  aheadMs: fc.oneof(
    { weight: 10, arbitrary: fc.integer({ min: -3000, max: 500 }) },
    { weight: 2, arbitrary: fc.constantFrom('none' as const, undefined) },
    { weight: 1, arbitrary: fc.constantFrom(3_600_001, -START_MS) },
  ),
})
const records = fc.array(record, { minLength: 1, maxLength: 6 })
const epoch = fc.nat(4)

const follower = fc.record({
  kind: fc.constant('follower' as const),
  batches: fc.array(
    fc.record({
      gap: fc.oneof(
        { weight: 8, arbitrary: fc.nat(3) },
        { weight: 1, arbitrary: fc.constantFrom(-1, 2 ** 31) },
      ),
      records,
      codec,
      epoch,
    }),
    { minLength: 1, maxLength: 4 },
  ),
  cutBytes: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(90) }),
  maxEpoch: fc.option(epoch, { nil: undefined }),
})

const perMille = fc.nat(1000)

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom('append' as const, 'append' as const, 'leader' as const),
      records,
      codec,
      epoch: fc.option(epoch, { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: follower },
  { weight: 1, arbitrary: fc.constantFrom<Operation>({ kind: 'roll' }, { kind: 'flush' }) },
  { weight: 1, arbitrary: fc.constant<Operation>({ kind: 'reopen' }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('truncate' as const, 'deleteBefore' as const), perMille }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(5000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      fromPerMille: perMille,
      maxBytes: fc.nat(2000),
      maxRecords: fc.option(fc.nat(10), { nil: undefined }),
      batches: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('fetch' as const, 'locate' as const),
      fromPerMille: fc.integer({ min: -50, max: 1050 }),
      maxBytes: fc.nat(2000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      aheadMs: fc.integer({ min: -9000, max: 1000 }),
    }),
  },
)

/** Settings so small that segments and indexes are full soon. */
export const settings: fc.Arbitrary<LogConfigInput> = fc.record(
  {
    internalSegmentBytes: fc.integer({ min: 200, max: 4000 }),
    segmentIndexBytes: fc.integer({ min: 12, max: 400 }),
    indexIntervalBytes: fc.nat(500),
    segmentMs: fc.integer({ min: 1, max: 5000 }),
    segmentJitterMs: fc.nat(4000),
    messageTimestampType: fc.constantFrom(
      'CreateTime' as const,
      'CreateTime' as const,
      'LogAppendTime' as const,
    ),
    compressionType: fc.constantFrom('producer' as const, 'producer' as const, 'lz4' as const),
    preallocate: fc.boolean(),
    fileDeleteDelayMs: fc.constant(0),
  },
  { requiredKeys: ['internalSegmentBytes', 'segmentIndexBytes', 'indexIntervalBytes', 'fileDeleteDelayMs'] },
)

/** What a subject shares with others; by default the run's backend and the process's bound. */
interface SubjectParts {
  readonly backend?: Backend
  readonly openSegments?: OpenSegments
}

/** One log at work. */
export class LogSubject {
  readonly directory: string
  readonly machine: TestMachine
  readonly #config: LogConfigInput
  log!: PartitionLog

  constructor(directory: string, config: LogConfigInput, { backend, openSegments }: SubjectParts = {}) {
    this.directory = directory
    this.#config = config
    this.machine = testMachine({
      ...(backend === undefined ? {} : { backend }),
      ...(openSegments === undefined ? {} : { openSegments }),
    })
  }

  async open(): Promise<void> {
    this.log = await openLogOn(this.machine, join(this.directory, 'log-0'), { config: this.#config })
  }

  /** The operation's answer or its error, as plain values. An error that is none of ours is thrown. */
  async apply(operation: Operation): Promise<unknown> {
    try {
      return { answer: plainly(await this.run(operation)) }
    } catch (error) {
      const { code, message, path, position, recordIndex } = error as Record<string, unknown>
      if (code === undefined) throw error
      return plainly({
        code,
        message: this.#relative(message),
        path: this.#relative(path),
        position,
        recordIndex,
      })
    }
  }

  /** What can be seen of the log between operations. */
  seen(): unknown {
    // The recovery point and the durable offset move when a background flush ends.
    const { recoveryPoint: _, durableOffset: __, ...offsets } = this.log.offsets
    return plainly({
      offsets,
      segments: this.log.segments,
      epochs: this.log.leaderEpochs,
      state: this.log.state,
    })
  }

  inputOf(records: readonly RandomRecord[]): RecordInput[] {
    const nowMs = this.machine.clock.nowMs()
    return records.map(({ key, valueBytes, aheadMs }, index) => ({
      key,
      value: valueBytes === null ? null : Buffer.alloc(valueBytes, `${index}${key ?? ''}v`),
      ...(aheadMs === undefined ? {} : { timestamp: aheadMs === 'none' ? -1 : nowMs + aheadMs }),
    }))
  }

  /** The wire bytes of a follower's batches, from the log's end on. */
  followerBytes({ batches, cutBytes }: Extract<Operation, { kind: 'follower' }>): Buffer {
    let next = this.log.offsets.logEndOffset
    const parts = batches.map(({ gap, records, codec, epoch }) => {
      const baseOffset = next + BigInt(gap)
      next = baseOffset + BigInt(records.length)
      const timed = this.inputOf(records).map((record) => ({
        ...record,
        timestamp: record.timestamp ?? this.machine.clock.nowMs(),
      }))
      return encodeBatch(timed, { baseOffset, compression: codec, partitionLeaderEpoch: epoch })
    })
    const bytes = Buffer.concat(parts)
    return bytes.subarray(0, Math.max(0, bytes.length - cutBytes))
  }

  offsetAt(perMille: number): bigint {
    const { logStartOffset, logEndOffset } = this.log.offsets
    return logStartOffset + ((logEndOffset - logStartOffset) * BigInt(perMille)) / 1000n
  }

  async run(operation: Operation): Promise<unknown> {
    const { log } = this
    switch (operation.kind) {
      case 'append':
        return log.append(this.inputOf(operation.records), {
          compression: operation.codec,
          ...(operation.epoch === undefined ? {} : { leaderEpoch: operation.epoch }),
        })
      case 'leader':
        return log.appendBatches(this.#leaderBytes(operation), { origin: 'leader' })
      case 'follower':
        return log.appendBatches(this.followerBytes(operation), {
          origin: 'follower',
          ...(operation.maxEpoch === undefined ? {} : { leaderEpoch: operation.maxEpoch }),
        })
      case 'roll':
        return log.roll()
      case 'flush':
        return log.flush()
      case 'reopen':
        await log.close()
        return this.open()
      case 'truncate':
        return log.truncateTo(this.offsetAt(operation.perMille))
      case 'deleteBefore':
        return log.deleteRecordsBefore(this.offsetAt(operation.perMille))
      case 'advance':
        return this.machine.clock.advance(operation.ms)
      default:
        return this.#look(operation)
    }
  }

  async #look(
    operation: Extract<Operation, { kind: 'read' | 'fetch' | 'locate' | 'time' }>,
  ): Promise<unknown> {
    const { log } = this
    if (operation.kind === 'time') {
      return log.offsetForTimestamp(this.machine.clock.nowMs() + operation.aheadMs)
    }
    const from = this.offsetAt(operation.fromPerMille)
    if (operation.kind === 'locate') {
      const { path: _, ...located } = log.locate(from)
      return located
    }
    if (operation.kind === 'fetch') {
      const { source, ...fetched } = await log.fetch(from, { maxBytes: operation.maxBytes })
      return { ...fetched, position: source?.position }
    }
    const { maxBytes, maxRecords, batches } = operation as Extract<Operation, { kind: 'read' }>
    const read = log.read({ from, maxBytes, ...(maxRecords === undefined ? {} : { maxRecords }) })
    return batches ? toArray(read.batches(), ({ bytes }) => bytes) : toArray(read, recordLine)
  }

  #leaderBytes({ records, codec }: Extract<Operation, { kind: 'append' | 'leader' }>): Buffer {
    const nowMs = this.machine.clock.nowMs()
    const timed = this.inputOf(records).map((record) => ({ ...record, timestamp: record.timestamp ?? nowMs }))
    return encodeBatch(timed, { compression: codec })
  }

  #relative(text: unknown): unknown {
    return typeof text === 'string' ? text.replaceAll(this.directory, 'DIR') : text
  }
}

/** A record in one line. */
export function recordLine({ offset, timestamp, key, value }: LogRecord): string {
  const hex = (field: Buffer | null) => (field === null ? 'null' : `x${field.toString('hex')}`)
  return `${offset} ${timestamp} ${hex(key)} ${hex(value)}`
}

/** The records of bytes on the wire, in lines. */
export function wireLines(bytes: Uint8Array): string[] {
  return [...recordBatches(bytes)].flatMap((batch) => [...batch.records()].map(recordLine))
}

export async function toArray<T, U>(items: AsyncIterable<T>, map: (item: T) => U): Promise<U[]> {
  const all: U[] = []
  for await (const item of items) all.push(map(item))
  return all
}

/** Bigints, buffers and nested values as JSON; methods are left out. */
function plainly(value: unknown): unknown {
  const text = JSON.stringify(value, (_, inner) =>
    typeof inner === 'bigint'
      ? `${inner}n`
      : inner?.type === 'Buffer'
        ? Buffer.from(inner.data).toString('hex')
        : inner,
  )
  return text === undefined ? undefined : JSON.parse(text)
}
