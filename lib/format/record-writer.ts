/**
 * Records in magic 2's form, written one behind the other into a buffer that
 * grows and is used again for the next batch.
 */

import { INT32_MAX } from '../base/int64.js'
import { InvalidBatchError, wrongType } from '../errors.js'
import type { HeaderInput, RecordInput } from './record.js'
import { sizeOfVarint, sizeOfVarlong, writeVarint, writeVarlong } from './varint.js'

type Bytes = string | Uint8Array | null | undefined

/** A timestamp or a difference of two: a number where it is exact as one. */
export type Millis = number | bigint

export class RecordWriter {
  /** What was written is `bytes[0, position)`; replaced when it grows. */
  bytes: Buffer
  position = 0

  constructor(initialBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(initialBytes)
  }

  /** Appends one record. `index` names it in errors. */
  write(record: RecordInput, offsetDelta: number, timestampDelta: Millis, index: number): void {
    const headers = checkRecord(record, index)
    const keySize = sizeOf(record.key)
    const valueSize = sizeOf(record.value)
    const bodySize =
      1 + // attributes
      sizeOfDelta(timestampDelta) +
      sizeOfVarint(offsetDelta) +
      sizeOfField(keySize) +
      sizeOfField(valueSize) +
      sizeOfHeaders(headers)
    this.#reserve(sizeOfVarint(bodySize) + bodySize, index)
    this.#putVarint(bodySize)
    this.bytes[this.position++] = 0
    this.#putDelta(timestampDelta)
    this.#putVarint(offsetDelta)
    this.#putField(record.key, keySize)
    this.#putField(record.value, valueSize)
    this.#putHeaders(headers)
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
  }

  #putVarint(value: number): void {
    this.position = writeVarint(this.bytes, this.position, value)
  }

  #putDelta(delta: Millis): void {
    if (isInt32(delta)) this.#putVarint(delta)
    else this.position = writeVarlong(this.bytes, this.position, BigInt(delta))
  }

  #putField(field: Bytes, size: number): void {
    this.#putVarint(size)
    if (typeof field === 'string') this.position += this.bytes.write(field, this.position, size, 'utf8')
    else if (field !== null && field !== undefined) {
      this.bytes.set(field, this.position)
      this.position += size
    }
  }

  #putHeaders(headers: readonly HeaderInput[]): void {
    this.#putVarint(headers.length)
    for (const { key, value } of headers) {
      this.#putField(key, sizeOf(key))
      this.#putField(value, sizeOf(value))
    }
  }
}

const NO_HEADERS: readonly HeaderInput[] = []

function checkRecord(record: RecordInput, index: number): readonly HeaderInput[] {
  if (typeof record !== 'object' || record === null) throw wrongType(`records[${index}]`, 'an object', record)
  checkBytes(record.key ?? null, index, 'key')
  checkBytes(record.value, index, 'value')
  const headers = record.headers ?? NO_HEADERS
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
  return typeof field === 'string' ? Buffer.byteLength(field, 'utf8') : field.byteLength
}

function sizeOfField(size: number): number {
  return sizeOfVarint(size) + Math.max(0, size)
}

function sizeOfHeaders(headers: readonly HeaderInput[]): number {
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
