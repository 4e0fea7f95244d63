/**
 * Walks the records of a magic 2 batch over its uncompressed bytes, and makes
 * no object of any: after a `next()` that gives true its fields are those of
 * one record.
 *
 *   varint length | int8 attributes | varlong timestamp delta | varint offset
 *   delta | varint key length, key | varint value length, value | varint
 *   header count, then each: varint key length, key, varint value length, value
 *
 * Every length is checked against its record and every record against the
 * batch: the count must be right and no byte may remain.
 */

import { batchError, invalidBatch } from './batch.js'
import {
  BatchRecord,
  fieldOf,
  headersOf,
  offsetOf,
  type RecordContext,
  type RecordPlaces,
  timestampOf,
} from './batch-record.js'
import type { LogRecord, RecordCursor, RecordHeader, TimestampType } from './record.js'
import { VarintReader } from './varint.js'

/** Least bytes of a record: its length and six one-byte fields. */
const MIN_RECORD_BYTES = 7

/** Of a varint's byte: another follows, and the bits that count. */
const MORE = 0x80
const GROUP = 0x7f
/** Above all numbers of two groups. */
const THIRD_GROUP = 0x4000

export class BatchCursor implements RecordCursor, RecordPlaces {
  readonly context: RecordContext
  offsetDelta = 0
  timestampDelta: number | bigint = 0
  keyAt = 0
  keySize = -1
  valueAt = 0
  valueSize = -1
  headersAt = 0
  headerCount = 0
  #position = 0
  #index = 0
  readonly #bytes: Buffer
  readonly #count: number
  readonly #mostBytes: number

  /** Throws where the batch cannot have as many records as it says. */
  constructor(context: RecordContext) {
    const { bytes, count } = context
    this.context = context
    this.#bytes = bytes
    this.#count = count
    this.#mostBytes = context.maxRecordBytes
    if (count >= 0 && count <= Math.floor(bytes.length / MIN_RECORD_BYTES)) return
    const message = `the header counts ${count} records, which do not fit into ${bytes.length} bytes`
    throw batchError(invalidBatch(message), context.source)
  }

  get offset(): bigint {
    return offsetOf(this.context, this.offsetDelta)
  }

  get timestamp(): bigint {
    return timestampOf(this.context, this.timestampDelta)
  }

  get timestampType(): TimestampType {
    return this.context.timestampType
  }

  get key(): Buffer | null {
    return fieldOf(this.context, this.keyAt, this.keySize)
  }

  get value(): Buffer | null {
    return fieldOf(this.context, this.valueAt, this.valueSize)
  }

  get headers(): readonly RecordHeader[] {
    return headersOf(this.context, this.headersAt, this.headerCount)
  }

  record(): LogRecord {
    return new BatchRecord(this.context, this)
  }

  next(): boolean {
    if (this.#index === this.#count) return this.#end()
    if (!this.#readPlain()) this.#readAny()
    this.#index++
    return true
  }

  /**
   * A sound record without headers whose numbers take one or two groups of
   * seven bits, as nearly all do. False for any other: nothing has moved then.
   *
   * Written out number by number: with a function or method for it, which has
   * to move the position as well, V8 takes twice the time.
   */
  #readPlain(): boolean {
    const bytes = this.#bytes
    let at = this.#position
    let n = bytes[at++] as number
    if (n >= MORE) n = (n & GROUP) | ((bytes[at++] as number) << 7)
    const length = unzigzag(n)
    const end = at + length
    if (n >= THIRD_GROUP || length < MIN_RECORD_BYTES - 1 || length > this.#mostBytes) return false
    if (end > bytes.length) return false
    // A number of more groups has the bit of a third; what is read behind it is not believed.
    let groups = 0
    n = bytes[++at] as number
    at++
    if (n >= MORE) n = (n & GROUP) | ((bytes[at++] as number) << 7)
    groups |= n
    const timestampDelta = unzigzag(n)
    n = bytes[at++] as number
    if (n >= MORE) n = (n & GROUP) | ((bytes[at++] as number) << 7)
    groups |= n
    const offsetDelta = unzigzag(n)
    n = at < end ? (bytes[at++] as number) : THIRD_GROUP
    if (n >= MORE) n = (n & GROUP) | ((bytes[at++] as number) << 7)
    groups |= n
    const keySize = unzigzag(n)
    const keyAt = at
    if (keySize > 0) at += keySize
    n = at < end ? (bytes[at++] as number) : THIRD_GROUP
    if (n >= MORE) n = (n & GROUP) | ((bytes[at++] as number) << 7)
    const valueSize = unzigzag(n)
    const valueAt = at
    if (valueSize > 0) at += valueSize
    if ((groups | n) >= THIRD_GROUP || keySize < -1 || valueSize < -1) return false
    if (at !== end - 1 || bytes[at] !== 0) return false
    this.timestampDelta = timestampDelta
    this.offsetDelta = offsetDelta
    this.keyAt = keyAt
    this.keySize = keySize
    this.valueAt = valueAt
    this.valueSize = valueSize
    this.headersAt = end
    this.headerCount = 0
    this.#position = end
    return true
  }

  /** Any record; throws for what is none. */
  #readAny(): void {
    try {
      const reader = new VarintReader(this.#bytes, this.#position, this.#bytes.length)
      const end = this.#enter(reader)
      this.timestampDelta = reader.readVarlongDelta()
      this.offsetDelta = reader.readVarint()
      this.keySize = this.#skipField(reader)
      this.keyAt = reader.position - Math.max(0, this.keySize)
      this.valueSize = this.#skipField(reader)
      this.valueAt = reader.position - Math.max(0, this.valueSize)
      this.headerCount = this.#skipHeaders(reader)
      if (reader.position !== end) throw this.#invalid(`has ${end - reader.position} bytes left over`)
      this.#position = end
    } catch (error) {
      throw batchError(error, this.context.source)
    }
  }

  /** Up to the timestamp; the reader ends where the record does. */
  #enter(reader: VarintReader): number {
    const limit = reader.end
    const length = reader.readVarint()
    const end = reader.position + length
    if (length < MIN_RECORD_BYTES - 1 || end > limit)
      throw this.#invalid(`claims ${length} bytes, ${limit - reader.position} are left`)
    if (length > this.#mostBytes) throw this.#invalid(`has ${length} bytes, ${this.#mostBytes} are allowed`)
    reader.end = end
    reader.position++
    return end
  }

  #skipField(reader: VarintReader): number {
    const size = reader.readVarint()
    if (size < -1 || size > reader.end - reader.position) throw this.#invalid(`has a field of ${size} bytes`)
    if (size > 0) reader.position += size
    return size
  }

  #skipHeaders(reader: VarintReader): number {
    const count = reader.readVarint()
    this.headersAt = reader.position
    // Two one-byte lengths are the least that a header takes.
    if (count < 0 || count > (reader.end - reader.position) / 2)
      throw this.#invalid(`claims ${count} headers`)
    for (let n = 0; n < count; n++) {
      if (this.#skipField(reader) < 0) throw this.#invalid('has a header without a key')
      this.#skipField(reader)
    }
    return count
  }

  #end(): false {
    const left = this.#bytes.length - this.#position
    if (left === 0) return false
    const message = `${left} bytes remain behind the last of ${this.#count} records`
    throw batchError(invalidBatch(message), this.context.source)
  }

  #invalid(what: string) {
    return invalidBatch(`record ${this.#index} ${what}`)
  }
}

function unzigzag(n: number): number {
  return (n >>> 1) ^ -(n & 1)
}
