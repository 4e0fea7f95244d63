/**
 * A record of a magic 2 batch as callers get it: it knows where its fields lie,
 * and makes views of them when they are asked for. It keeps its batch's bytes.
 */

import { type InspectOptions, inspect } from 'node:util'
import { wrappingSum } from '../base/int64.js'
import type { BatchSource } from './batch.js'
import {
  type LogRecord,
  plainRecord,
  type RecordHeader,
  type RecordJson,
  recordToJson,
  type TimestampType,
} from './record.js'
import { VarintReader } from './varint.js'

/** What records take from their batch. Of 64 bits: a number where that is exact, else a bigint. */
export interface RecordContext {
  /** The records, uncompressed. */
  readonly bytes: Buffer
  readonly baseOffset: number | bigint
  readonly timestampType: TimestampType
  /** What timestamp deltas count from; with LogAppendTime the timestamp of every record. */
  readonly timestamp: number | bigint
  readonly count: number
  readonly maxRecordBytes: number
  readonly source: BatchSource | undefined
}

/** Where a record's fields lie in its batch's bytes; a size of -1 stands for null. */
export interface RecordPlaces {
  readonly offsetDelta: number
  /** A bigint where a number would not be exact. */
  readonly timestampDelta: number | bigint
  readonly keyAt: number
  readonly keySize: number
  readonly valueAt: number
  readonly valueSize: number
  /** Of the first header. */
  readonly headersAt: number
  readonly headerCount: number
}

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([])

export class BatchRecord implements LogRecord {
  readonly #context: RecordContext
  readonly #offsetDelta: number
  readonly #timestampDelta: number | bigint
  readonly #keyAt: number
  readonly #keySize: number
  readonly #valueAt: number
  readonly #valueSize: number
  readonly #headersAt: number
  readonly #headerCount: number

  constructor(context: RecordContext, places: RecordPlaces) {
    this.#context = context
    this.#offsetDelta = places.offsetDelta
    this.#timestampDelta = places.timestampDelta
    this.#keyAt = places.keyAt
    this.#keySize = places.keySize
    this.#valueAt = places.valueAt
    this.#valueSize = places.valueSize
    this.#headersAt = places.headersAt
    this.#headerCount = places.headerCount
  }

  get offset(): bigint {
    return offsetOf(this.#context, this.#offsetDelta)
  }

  get timestamp(): bigint {
    return timestampOf(this.#context, this.#timestampDelta)
  }

  get timestampType(): TimestampType {
    return this.#context.timestampType
  }

  get key(): Buffer | null {
    return fieldOf(this.#context, this.#keyAt, this.#keySize)
  }

  get value(): Buffer | null {
    return fieldOf(this.#context, this.#valueAt, this.#valueSize)
  }

  get headers(): readonly RecordHeader[] {
    return headersOf(this.#context, this.#headersAt, this.#headerCount)
  }

  toJSON(): RecordJson {
    return recordToJson(this)
  }

  /** What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `LogRecord ${inspect(plainRecord(this), options)}`
  }
}

export function offsetOf({ baseOffset }: RecordContext, offsetDelta: number): bigint {
  return wrappingSum(baseOffset, offsetDelta)
}

export function timestampOf(
  { timestampType, timestamp }: RecordContext,
  timestampDelta: number | bigint,
): bigint {
  return timestampType === 'LogAppendTime' ? BigInt(timestamp) : wrappingSum(timestamp, timestampDelta)
}

/** A view; null where `size` is -1. */
export function fieldOf({ bytes }: RecordContext, at: number, size: number): Buffer | null {
  return size < 0 ? null : bytes.subarray(at, at + size)
}

/** Headers that are known to be sound. */
export function headersOf(context: RecordContext, at: number, count: number): readonly RecordHeader[] {
  if (count === 0) return NO_HEADERS
  const { bytes } = context
  const reader = new VarintReader(bytes, at, bytes.length)
  const readField = () => {
    const size = reader.readVarint()
    const fieldAt = reader.position
    if (size > 0) reader.position += size
    return fieldOf(context, fieldAt, size)
  }
  const headers: RecordHeader[] = []
  for (let n = 0; n < count; n++) {
    const key = readField() as Buffer
    headers.push({ key: key.toString('utf8'), value: readField() })
  }
  return headers
}
