/**
 * A record as callers write it and as they read it back.
 *
 * Null and empty are different things for keys, values and header values, and
 * stay so. A record that was read holds views of its batch's bytes, which
 * belong to the reader alone.
 */

import type { Int64Input } from '../base/int64.js'

export type TimestampType = 'NoTimestampType' | 'CreateTime' | 'LogAppendTime'

export interface HeaderInput {
  readonly key: string
  readonly value: string | Uint8Array | null
}

/** What `append` and `encodeBatch` take; text is written as UTF-8. */
export interface RecordInput {
  /** Absent means null: a record without a key. */
  readonly key?: string | Uint8Array | null
  /** Null is a tombstone; it must be said, so a forgotten value is refused. */
  readonly value: string | Uint8Array | null
  /** Order and repeated keys are kept. */
  readonly headers?: readonly HeaderInput[]
  /** Milliseconds since the epoch, or -1 for none; the time of the append where absent. */
  readonly timestamp?: Int64Input
}

export interface RecordHeader {
  readonly key: string
  readonly value: Buffer | null
}

/** A record as read. `toJSON` is the form that `plog read --json` prints. */
export interface LogRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  readonly timestampType: TimestampType
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]
  toJSON(): RecordJson
}

/** Bytes in JSON: text where they are valid UTF-8, else base64; null is null. */
export type JsonBytes = string | { readonly base64: string } | null

export interface RecordJson {
  readonly offset: string
  readonly timestamp: string
  readonly timestampType: TimestampType
  readonly key: JsonBytes
  readonly value: JsonBytes
  readonly headers: readonly { readonly key: string; readonly value: JsonBytes }[]
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON form of key, value or header value. */
export function jsonBytes(bytes: Uint8Array | null): JsonBytes {
  if (bytes === null) return null
  try {
    return strictUtf8.decode(bytes)
  } catch {
    // Not UTF-8: a lossy string could not be turned back into the same bytes.
    return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
  }
}

export function recordToJson(record: LogRecord): RecordJson {
  return {
    offset: record.offset.toString(),
    timestamp: record.timestamp.toString(),
    timestampType: record.timestampType,
    key: jsonBytes(record.key),
    value: jsonBytes(record.value),
    headers: record.headers.map(({ key, value }) => ({ key, value: jsonBytes(value) })),
  }
}
