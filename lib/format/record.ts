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

/** What a record holds. Key, value and header values are views of its batch's bytes. */
export interface RecordFields {
  readonly offset: bigint
  readonly timestamp: bigint
  readonly timestampType: TimestampType
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]
}

/**
 * A record as read. `log.read()` gives objects with these properties, to print,
 * spread and compare. The records of a batch make a field when it is asked for,
 * anew each time, and have none of their own: `plainRecord` makes one of the
 * former. `toJSON` is the form that `plog read --json` prints.
 */
export interface LogRecord extends RecordFields {
  toJSON(): RecordJson
}

/** A record whose fields are properties of its own; they share memory with those of `record`. */
export function plainRecord(record: RecordFields): LogRecord {
  return new PlainRecord(record)
}

class PlainRecord implements LogRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  readonly timestampType: TimestampType
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]

  constructor(record: RecordFields) {
    this.offset = record.offset
    this.timestamp = record.timestamp
    this.timestampType = record.timestampType
    this.key = record.key
    this.value = record.value
    this.headers = record.headers
  }

  toJSON(): RecordJson {
    return recordToJson(this)
  }
}

/**
 * One record of a batch after the other, without an object for each. After a
 * `next()` that gives true the fields are those of the record that it came to;
 * before the first, and after one that gives false, they mean nothing.
 */
export interface RecordCursor extends RecordFields {
  /**
   * Goes on to the next record; false behind the last. Bytes that are no record
   * throw as `Batch.records()` does.
   */
  next(): boolean
  /** The current record, for good: as `Batch.records()` gives it. */
  record(): LogRecord
  /** Bytes of the key and the value; -1 where they are null. */
  readonly keySize: number
  readonly valueSize: number
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
