/** Logs made of batches, and one cleaning of such a log with the swap that a log would do. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import type { Backend } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import type {
  CleanedGroup,
  CleanJob,
  CleanResult,
  CleanSteps,
  SegmentToClean,
} from '../../lib/cleaner/clean-job.js'
import { cleanLog } from '../../lib/cleaner/clean-log.js'
import type { Batch } from '../../lib/format/batch.js'
import { BatchEncoder, PLAIN_HEADER, sealBatch } from '../../lib/format/batch-encoder.js'
import { recordBatches } from '../../lib/format/batches.js'
import type { CodecName } from '../../lib/format/compression.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import type { ProducerInput } from '../../lib/format/producer-input.js'
import { markerBatch } from '../../lib/log/producers/marker-batch.js'
import { type FileKind, fileName, SEGMENT_FILE_KINDS } from '../../lib/segment/names.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { Segment } from '../../lib/segment/segment.js'
import { type AbortedTransaction, transactionEntry } from '../../lib/segment/transaction-index.js'
import { backendUnderTest } from './backend.js'
import { START_MS } from './machine.js'
import { swiftBackend } from './swift-backend.js'

export const NOW_MS = START_MS
export const DAY_MS = 86_400_000

export interface KeyValue {
  readonly key: string | null
  readonly value: string | null
  readonly timestamp?: number
}

export interface BatchOptions {
  readonly compression?: CodecName
  readonly producer?: ProducerInput
  readonly appendTime?: number
  readonly leaderEpoch?: number
}

/** A batch of magic 2; record `n` has offset `baseOffset + n` and, where it says no other, that time after 1000. */
export function put(baseOffset: number, records: readonly KeyValue[], options: BatchOptions = {}): Buffer {
  const inputs = records.map(({ key, value, timestamp }, n) => ({
    key,
    value,
    timestamp: timestamp ?? 1000 + baseOffset + n,
  }))
  const { compression, producer, appendTime, leaderEpoch = 0 } = options
  return encodeBatch(inputs, {
    baseOffset,
    partitionLeaderEpoch: leaderEpoch,
    ...(compression === undefined ? {} : { compression }),
    ...(producer === undefined ? {} : { producer }),
    ...(appendTime === undefined
      ? {}
      : { timestampType: 'LogAppendTime' as const, logAppendTime: appendTime }),
  })
}

/** One record of its own batch. */
export function one(
  offset: number,
  key: string | null,
  value: string | null,
  options?: BatchOptions,
): Buffer {
  return put(offset, [{ key, value }], options)
}

export function transactional(id: number, baseSequence = 0): BatchOptions {
  return { producer: { id, epoch: 0, baseSequence, transactional: true } }
}

/** The control batch that ends a transaction. */
export function marker(offset: number, type: 'COMMIT' | 'ABORT', producerId: number): Buffer {
  const header = {
    ...PLAIN_HEADER,
    baseOffset: BigInt(offset),
    partitionLeaderEpoch: 0,
    producerId: BigInt(producerId),
    producerEpoch: 0,
    isTransactional: true,
  }
  const end = { type, coordinatorEpoch: 0, timestamp: BigInt(1000 + offset) }
  return sealBatch(Buffer.from(markerBatch(new BatchEncoder(), header, end, { type: 'CreateTime' })))
}

export function aborted(producerId: number, firstOffset: number, lastOffset: number): AbortedTransaction {
  return {
    producerId: BigInt(producerId),
    firstOffset: BigInt(firstOffset),
    lastOffset: BigInt(lastOffset),
    lastStableOffset: BigInt(lastOffset) + 1n,
  }
}

export interface SegmentSpec {
  readonly baseOffset: number
  readonly batches: readonly Buffer[]
  readonly modifiedMs?: number
  readonly aborted?: readonly AbortedTransaction[]
  /** Offsets too far from the base for an index need a large one. */
  readonly indexIntervalBytes?: number
}

const ROOM = 12_000
const INTERVAL = 100

/** Writes sealed segments as a log would have. */
export async function makeSegments(
  directory: string,
  specs: readonly SegmentSpec[],
  backend = backendUnderTest(),
): Promise<SegmentToClean[]> {
  const segments: SegmentToClean[] = []
  for (const spec of specs) segments.push(await makeSegment(directory, spec, backend))
  return segments
}

async function makeSegment(directory: string, spec: SegmentSpec, backend: Backend): Promise<SegmentToClean> {
  const { batches, modifiedMs = NOW_MS - 1000, aborted: entries = [], indexIntervalBytes = INTERVAL } = spec
  const baseOffset = BigInt(spec.baseOffset)
  const place = { backend, directory, mode: 'write' } as const
  const options = {
    place,
    openSegments: new OpenSegments(10),
    baseOffset,
    indexIntervalBytes,
    createdMs: 0,
    rollJitterMs: 0,
  }
  const segment = Segment.create(options, { capacityBytes: ROOM, preallocateBytes: 0 })
  for (const bytes of batches) {
    const facts = [...recordBatches(bytes)].map(({ sizeInBytes, lastOffset, maxTimestamp }) => ({
      sizeInBytes,
      lastOffset,
      maxTimestamp,
    }))
    segment.append({ bytes, length: bytes.length, facts, seal: false }, modifiedMs)
  }
  segment.seal()
  await segment.retire()
  if (entries.length > 0)
    writeFileSync(
      join(directory, fileName(baseOffset, 'txnindex')),
      Buffer.concat(entries.map(transactionEntry)),
    )
  utimesSync(join(directory, fileName(baseOffset, 'log')), modifiedMs / 1000, modifiedMs / 1000)
  return lookAt(directory, baseOffset, modifiedMs, entries)
}

function lookAt(
  directory: string,
  baseOffset: bigint,
  modifiedMs: number,
  entries: readonly AbortedTransaction[],
): SegmentToClean {
  const sizeOf = (kind: FileKind) => statSync(join(directory, fileName(baseOffset, kind))).size
  return {
    baseOffset,
    sizeInBytes: sizeOf('log'),
    modifiedMs,
    indexBytes: sizeOf('index'),
    timeIndexBytes: sizeOf('timeindex'),
    aborted: entries,
  }
}

export interface CleaningOptions {
  readonly firstDirtyOffset?: number
  readonly firstUncleanableOffset: number
  readonly config?: Partial<CleanJob['config']>
  readonly settings?: Partial<CleanJob['settings']>
  readonly producers?: CleanJob['producers']
  readonly abortedBehind?: readonly AbortedTransaction[]
  readonly nowMs?: number
  readonly backend?: Backend
  readonly steps?: Partial<CleanSteps>
}

export function jobOf(
  directory: string,
  segments: readonly SegmentToClean[],
  options: CleaningOptions,
): CleanJob {
  const { firstDirtyOffset = 0, firstUncleanableOffset } = options
  return {
    name: 'orders-0',
    directory,
    backend: options.backend?.name ?? backendUnderTest().name,
    segments,
    abortedBehind: options.abortedBehind ?? [],
    firstDirtyOffset: BigInt(firstDirtyOffset),
    firstUncleanableOffset: BigInt(firstUncleanableOffset),
    highWatermark: BigInt(firstUncleanableOffset),
    producers: options.producers ?? [],
    config: {
      segmentBytes: 1 << 20,
      segmentIndexBytes: ROOM,
      indexIntervalBytes: INTERVAL,
      deleteRetentionMs: DAY_MS,
      maxMessageBytes: 1 << 20,
      ...options.config,
    },
    settings: {
      mapBytes: 24 * 1000,
      loadFactor: 0.9,
      hash: 'md5',
      ioBufferBytes: 4096,
      maxBatchBytes: 1 << 20,
      maxDecompressedBytes: 1 << 20,
      ...options.settings,
    },
    nowMs: options.nowMs ?? NOW_MS,
  }
}

export interface Cleaning extends CleanResult {
  readonly groups: readonly CleanedGroup[]
  /** The log after it. */
  readonly segments: readonly SegmentToClean[]
}

/** Cleans, and puts what was written in place as a log would. */
export async function clean(
  directory: string,
  segments: readonly SegmentToClean[],
  options: CleaningOptions,
): Promise<Cleaning> {
  const groups: CleanedGroup[] = []
  let after = [...segments]
  const steps: CleanSteps = {
    checkpoint: () => undefined,
    progress: () => undefined,
    async swap(group) {
      groups.push(group)
      after = swapped(directory, after, group)
    },
    ...options.steps,
  }
  const tools = {
    backend: options.backend ?? swiftBackend(),
    files: nodeFiles,
    clock: { elapsedMs: () => 0 },
    loadCodec,
  }
  const result = await cleanLog(jobOf(directory, segments, options), tools, steps)
  return { ...result, groups, segments: after }
}

function swapped(
  directory: string,
  segments: readonly SegmentToClean[],
  { inputs, outputs }: CleanedGroup,
): SegmentToClean[] {
  for (const baseOffset of inputs)
    for (const kind of SEGMENT_FILE_KINDS)
      rmSync(join(directory, fileName(baseOffset, kind)), { force: true })
  const made = outputs.map(({ baseOffset, modifiedMs, aborted: entries }) => {
    for (const kind of SEGMENT_FILE_KINDS) {
      const from = join(directory, fileName(baseOffset, kind, 'cleaned'))
      if (existsSync(from)) renameSync(from, join(directory, fileName(baseOffset, kind)))
    }
    return lookAt(directory, baseOffset, modifiedMs, entries)
  })
  const rest = segments.filter(({ baseOffset }) => !inputs.includes(baseOffset))
  return [...rest, ...made].sort((a, b) => (a.baseOffset < b.baseOffset ? -1 : 1))
}

/** All batches of a log, in order. */
export function batchesIn(directory: string): Batch[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.log'))
  return names.sort().flatMap((name) => [...recordBatches(readFileSync(join(directory, name)))])
}

/** `offset key=value` of all data records; a tombstone has the value `null`. */
export function recordsIn(directory: string): string[] {
  return batchesIn(directory)
    .filter(({ isControl }) => !isControl)
    .flatMap((batch) => [...batch.records()])
    .map(({ offset, key, value }) => `${offset} ${key}=${value}`)
}

/** Names of `.cleaned` files. */
export function leftoversIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.cleaned'))
}
