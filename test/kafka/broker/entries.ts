/** Records as they are written, by Kafka's producers and by us, and as they are compared when they are read. */
import type { LogRecord, RecordInput, TimestampType } from '../../../lib/format/record.js'
import { bytesForm } from '../../support/golden.js'

/** What is written; our engine takes it as it is. */
export interface Entry extends RecordInput {
  readonly timestamp: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly { readonly key: string; readonly value: Buffer | null }[]
}

type Text = string | Buffer | null

/** Text becomes UTF-8; null stays null. */
export function entry(timestamp: number, key: Text, value: Text, headers: [string, Text][] = []): Entry {
  return {
    timestamp: BigInt(timestamp),
    key: bytes(key),
    value: bytes(value),
    headers: headers.map(([name, content]) => ({ key: name, value: bytes(content) })),
  }
}

function bytes(text: Text): Buffer | null {
  return typeof text === 'string' ? Buffer.from(text) : text
}

/** `entry` as the Java side takes it. */
export function entryRequest({ timestamp, key, value, headers }: Entry): object {
  return {
    timestamp: String(timestamp),
    key: base64(key),
    value: base64(value),
    headers: headers.map((header) => ({ key: header.key, value: base64(header.value) })),
  }
}

function base64(content: Buffer | null): string | null {
  return content?.toString('base64') ?? null
}

/** What a reader is given, Kafka's or ours; long bytes as a hash. */
export interface RecordForm {
  readonly offset: string
  readonly timestamp: string
  readonly timestampType: TimestampType
  readonly leaderEpoch: number
  readonly key: unknown
  readonly value: unknown
  readonly headers: readonly { readonly key: string; readonly value: unknown }[]
}

/** The form of an entry at its place. */
export function formOf(written: Entry, offset: bigint, leaderEpoch: number): RecordForm {
  return {
    offset: String(offset),
    timestamp: String(written.timestamp),
    timestampType: 'CreateTime',
    leaderEpoch,
    key: bytesForm(written.key),
    value: bytesForm(written.value),
    headers: written.headers.map(({ key, value }) => ({ key, value: bytesForm(value) })),
  }
}

/** The form of a record that our engine has read. */
export function readForm(record: LogRecord, leaderEpoch: number): RecordForm {
  return {
    offset: String(record.offset),
    timestamp: String(record.timestamp),
    timestampType: record.timestampType,
    leaderEpoch,
    key: bytesForm(record.key),
    value: bytesForm(record.value),
    headers: record.headers.map(({ key, value }) => ({ key, value: bytesForm(value) })),
  }
}
