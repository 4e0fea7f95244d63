/**
 * Records in magic 2's form, written one behind the other into a buffer that
 * grows and is used again for the next batch.
 */

import { INT32_MAX } from '../base/int64.js'
import { InvalidBatchError, wrongType } from '../errors.js'
import type { HeaderInput, RecordInput } from './record.js'
import { sizeOfVarint, sizeOfVarlong, writeVarint, writeVarlong } from './varint.js'

/** Most bits of a number in one group, in two. */
const ONE_GROUP = 0x7f
const TWO_GROUPS = 0x3fff

type Bytes = string | Uint8Array | null | undefined

/** A timestamp or a difference of two: a number where it is exact as one. */
export type Millis = number | bigint

export class RecordWriter {
  /** What was written is `bytes[0, position)`; replaced when it grows. */
  bytes: Buffer
  /** Of `bytes`. */
  view: DataView
  position = 0

  constructor(initialBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(initialBytes)
    this.view = viewOf(this.bytes)
  }

  /** Appends one record. `index` names it in errors. */
  write(record: RecordInput, offsetDelta: number, timestampDelta: Millis, index: number): void {
    if (isInt32(timestampDelta) && this.#writePlain(record, offsetDelta, timestampDelta)) return
    this.#writeAny(record, offsetDelta, timestampDelta, index)
  }

  /**
   * A record of bytes without headers, all of whose numbers take one or two
   * groups, where there is room for it. False for any other: nothing is written
   * then. One function without calls for it, since these are nearly all.
   */
  #writePlain(record: RecordInput, offsetDelta: number, timestampDelta: number): boolean {
    if (typeof record !== 'object' || record === null || record.headers !== undefined) return false
    const { key, value } = record
    const { bytes } = this
    let keySize = -1
    if (key !== null && key !== undefined) {
      if (!(key instanceof Uint8Array)) return false
      keySize = key.length
    }
    let valueSize = -1
    if (value !== null) {
      if (!(value instanceof Uint8Array)) return false
      valueSize = value.length
    }
    const timestampBits = (timestampDelta << 1) ^ (timestampDelta >> 31)
    const offsetBits = offsetDelta << 1
    const keyBits = keySize < 0 ? 1 : keySize << 1
    const valueBits = valueSize < 0 ? 1 : valueSize << 1
    const body =
      6 +
      (timestampBits > ONE_GROUP ? 1 : 0) +
      (offsetBits > ONE_GROUP ? 1 : 0) +
      (keyBits > ONE_GROUP ? 1 : 0) +
      (valueBits > ONE_GROUP ? 1 : 0) +
      (keySize < 0 ? 0 : keySize) +
      (valueSize < 0 ? 0 : valueSize)
    const bits = timestampBits | offsetBits | keyBits | valueBits | (body << 1)
    let at = this.position
    if (bits < 0 || bits > TWO_GROUPS || at + body + 2 > bytes.length) return false
    let n = body << 1
    if (n > ONE_GROUP) {
      bytes[at++] = n | 0x80
      n >>>= 7
    }
    bytes[at++] = n
    bytes[at++] = 0
    n = timestampBits
    if (n > ONE_GROUP) {
      bytes[at++] = n | 0x80
      n >>>= 7
    }
    bytes[at++] = n
    n = offsetBits
    if (n > ONE_GROUP) {
      bytes[at++] = n | 0x80
      n >>>= 7
    }
    bytes[at++] = n
    n = keyBits
    if (n > ONE_GROUP) {
      bytes[at++] = n | 0x80
      n >>>= 7
    }
    bytes[at++] = n
    if (keySize > 0) {
      bytes.set(key as Uint8Array, at)
      at += keySize
    }
    n = valueBits
    if (n > ONE_GROUP) {
      bytes[at++] = n | 0x80
      n >>>= 7
    }
    bytes[at++] = n
    if (valueSize > 0) {
      bytes.set(value as Uint8Array, at)
      at += valueSize
    }
    bytes[at++] = 0
    this.position = at
    return true
  }

  #writeAny(record: RecordInput, offsetDelta: number, timestampDelta: Millis, index: number): void {
    const headers = checkRecord(record, index)
    const { key, value } = record
    const keySize = sizeOf(key)
    const valueSize = sizeOf(value)
    const bodySize =
      1 + // attributes
      sizeOfDelta(timestampDelta) +
      sizeOfVarint(offsetDelta) +
      sizeOfField(keySize) +
      sizeOfField(valueSize) +
      sizeOfHeaders(headers)
    this.#reserve(sizeOfVarint(bodySize) + bodySize, index)
    const { bytes } = this
    let at = writeVarint(bytes, this.position, bodySize)
    bytes[at++] = 0
    at = writeDelta(bytes, at, timestampDelta)
    at = writeVarint(bytes, at, offsetDelta)
    at = writeField(bytes, at, key, keySize)
    at = writeField(bytes, at, value, valueSize)
    this.position = writeHeaders(bytes, at, headers)
  }

  #reserve(size: number, index: number): void {
    const needed = this.position + size
    if (needed <= this.bytes.length) return
    if (needed > INT32_MAX) {
      throw new InvalidBatchError(
        'ERR_BATCH_TOO_LARGE',
        `records up to ${index} take more than ${INT32_MAX} bytes`,
        {
          recordIndex: index,
        },
      )
    }
    const grown = Buffer.allocUnsafeSlow(Math.min(INT32_MAX, Math.max(needed, this.bytes.length * 2)))
    this.bytes.copy(grown, 0, 0, this.position)
    this.bytes = grown
    this.view = viewOf(grown)
  }
}

function viewOf({ buffer, byteOffset }: Buffer): DataView {
  return new DataView(buffer, byteOffset)
}

function writeDelta(bytes: Buffer, at: number, delta: Millis): number {
  return isInt32(delta) ? writeVarint(bytes, at, delta) : writeVarlong(bytes, at, BigInt(delta))
}

function writeField(bytes: Buffer, at: number, field: Bytes, size: number): number {
  const from = writeVarint(bytes, at, size)
  if (size <= 0) return from
  if (typeof field === 'string') bytes.write(field, from, size, 'utf8')
  else bytes.set(field as Uint8Array, from)
  return from + size
}

function writeHeaders(bytes: Buffer, at: number, headers: readonly HeaderInput[]): number {
  let end = writeVarint(bytes, at, headers.length)
  for (let n = 0; n < headers.length; n++) {
    const { key, value } = headers[n] as HeaderInput
    end = writeField(bytes, end, key, sizeOf(key))
    end = writeField(bytes, end, value, sizeOf(value))
  }
  return end
}

const NO_HEADERS: readonly HeaderInput[] = []

function checkRecord(record: RecordInput, index: number): readonly HeaderInput[] {
  if (typeof record !== 'object' || record === null) throw wrongType(`records[${index}]`, 'an object', record)
  checkBytes(record.key ?? null, index, 'key')
  checkBytes(record.value, index, 'value')
  const { headers } = record
  if (headers === undefined || headers === null) return NO_HEADERS
  if (!Array.isArray(headers))
    throw wrongType(`records[${index}].headers`, 'an array of {key, value}', headers)
  for (const header of headers) {
    if (typeof header?.key !== 'string') {
      throw wrongType(`records[${index}].headers[].key`, 'a string', header?.key)
    }
    checkBytes(header.value, index, 'headers[].value')
  }
  return headers
}

function checkBytes(field: unknown, index: number, name: string): void {
  if (field === null || typeof field === 'string' || field instanceof Uint8Array) return
  throw wrongType(`records[${index}].${name}`, 'a string, a Uint8Array or null', field)
}

/** -1 for null, as the format writes it. */
function sizeOf(field: Bytes): number {
  if (field === null || field === undefined) return -1
  return typeof field === 'string' ? Buffer.byteLength(field, 'utf8') : field.length
}

function sizeOfField(size: number): number {
  return size <= 0 ? 1 : sizeOfVarint(size) + size
}

function sizeOfHeaders(headers: readonly HeaderInput[]): number {
  if (headers.length === 0) return 1
  let size = sizeOfVarint(headers.length)
  for (const { key, value } of headers) size += sizeOfField(sizeOf(key)) + sizeOfField(sizeOf(value))
  return size
}

function sizeOfDelta(delta: Millis): number {
  return isInt32(delta) ? sizeOfVarint(delta) : sizeOfVarlong(BigInt(delta))
}

function isInt32(delta: Millis): delta is number {
  return typeof delta === 'number' && delta === (delta | 0)
}
