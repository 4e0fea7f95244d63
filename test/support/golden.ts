/** The golden files of a log, and our reading of a batch in their form; see test/golden/README.md. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Batch } from '../../lib/format/batch.js'
import type { LogRecord } from '../../lib/format/record.js'

export const GOLDEN = resolve(import.meta.dirname, '../golden')

export interface GoldenRecord {
  readonly offset: string
  readonly timestamp: string
  readonly sequence: number
  readonly key: unknown
  readonly value: unknown
  readonly headers: readonly { readonly key: string; readonly value: unknown }[]
}

export interface GoldenBatch {
  readonly position: number
  readonly sizeInBytes: number
  readonly magic: number
  readonly baseOffset: string
  readonly lastOffset: string
  readonly codec: string
  readonly timestampType: string
  readonly maxTimestamp: string
  readonly isControl: boolean
  readonly crc: number
  readonly records: readonly GoldenRecord[]
}

/** The elements of `expected/PATH.json`; none where Kafka read no file there. */
export function expected<T>(path: string): T[] {
  const file = join(GOLDEN, 'expected', `${path}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** Names of the files in a golden directory that end so, in order. */
export function goldenFiles(directory: string, suffix: string): string[] {
  return readdirSync(join(GOLDEN, directory))
    .filter((name) => name.endsWith(suffix))
    .sort()
}

/** A batch as the golden files tell it. `position` is that in its file. */
export function batchForm(batch: Batch, position: number): GoldenBatch {
  const legacy = batch.magic < 2
  return {
    position,
    sizeInBytes: batch.sizeInBytes,
    magic: batch.magic,
    baseOffset: String(batch.baseOffset),
    lastOffset: String(batch.lastOffset),
    baseSequence: batch.baseSequence,
    lastSequence: batch.lastSequence,
    producerId: String(batch.producerId),
    producerEpoch: batch.producerEpoch,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    codec: batch.codec,
    isTransactional: batch.isTransactional,
    isControl: batch.isControl,
    timestampType: batch.timestampType,
    maxTimestamp: String(batch.maxTimestamp),
    baseTimestamp: legacy ? null : String(batch.deleteHorizonMs ?? batch.baseTimestamp),
    deleteHorizonMs: batch.deleteHorizonMs === null ? null : String(batch.deleteHorizonMs),
    crc: batch.crc,
    count: legacy ? null : batch.count,
    records: [...batch.records()].map((record) => recordForm(record, batch)),
  } as GoldenBatch
}

export function recordForm(record: LogRecord, batch: Batch): GoldenRecord {
  return {
    offset: String(record.offset),
    timestamp: String(record.timestamp),
    sequence: sequenceOf(record, batch),
    key: bytesForm(record.key),
    value: bytesForm(record.value),
    headers: record.headers.map(({ key, value }) => ({ key, value: bytesForm(value) })),
  }
}

/** Sequences wrap from 2147483647 to 0. */
function sequenceOf({ offset }: LogRecord, { baseSequence, baseOffset }: Batch): number {
  if (baseSequence < 0) return -1
  return Number((BigInt(baseSequence) + offset - baseOffset) & 0x7fff_ffffn)
}

/** `control` of markers is told by key and value, which are compared as bytes. */
export function withoutControl<B extends { readonly records: readonly object[] }>(batch: B): B {
  return { ...batch, records: batch.records.map(({ control: _, ...rest }: { control?: unknown }) => rest) }
}

/** Bytes as the golden files have them: base64, above 1,024 bytes a hash and the length. */
export function bytesForm(bytes: Uint8Array | null): unknown {
  if (bytes === null) return null
  if (bytes.length <= 1024) return Buffer.from(bytes).toString('base64')
  return { sha256: createHash('sha256').update(bytes).digest('hex'), length: bytes.length }
}
