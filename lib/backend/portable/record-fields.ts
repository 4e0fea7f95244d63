/**
 * Takes one record of a magic 2 batch apart. Strict: lengths lie inside of the
 * record, which ends exactly where its length says. Facts of the record read
 * last are this object's fields, so that nothing is allocated a record.
 */

import { InvalidBatchError } from '../../errors.js'
import { sizeOfVarint, VarintReader, writeVarint } from '../../format/varint.js'

export class RecordFields {
  /** Behind the record. */
  end = 0
  timestampDelta: number | bigint = 0
  offsetDelta = 0
  keyPosition = 0
  /** -1: none. */
  keySize = -1
  valueSize = -1
  /** First byte behind the timestamp delta: from there on a copy keeps what is there. */
  restPosition = 0
  /** Bytes that the rest takes where no number is longer than need be. */
  restSize = 0
  readonly #reader: VarintReader

  constructor(bytes: Uint8Array) {
    this.#reader = new VarintReader(bytes, 0, 0)
  }

  /** Reads the record at `position`; false where there is no sound one within `limit`. */
  read(position: number, limit: number): boolean {
    try {
      return this.#read(position, limit)
    } catch (error) {
      if (error instanceof InvalidBatchError) return false
      throw error
    }
  }

  /** Writes the rest with every number as short as can be, as Kafka writes; gives the position behind it. */
  writeRest(out: Uint8Array, outPosition: number): number {
    const reader = this.#reader
    reader.position = this.restPosition
    reader.end = this.end
    let at = writeVarint(out, outPosition, reader.readVarint())
    at = this.#copyField(out, at)
    at = this.#copyField(out, at)
    const headers = reader.readVarint()
    at = writeVarint(out, at, headers)
    for (let n = 0; n < 2 * headers; n++) at = this.#copyField(out, at)
    return at
  }

  #read(position: number, limit: number): boolean {
    const reader = this.#reader
    reader.position = position
    reader.end = limit
    const size = reader.readVarint()
    const body = reader.position
    if (size < 1 || size > limit - body) return false
    this.end = body + size
    reader.end = this.end
    reader.position = body + 1
    this.timestampDelta = reader.readVarlongDelta()
    this.restPosition = reader.position
    this.restSize = 0
    this.offsetDelta = this.#number()
    this.keySize = this.#field(-1)
    this.keyPosition = reader.position - Math.max(0, this.keySize)
    this.valueSize = this.#field(-1)
    const headers = this.#number()
    if (headers < 0) return false
    for (let n = 0; n < headers; n++) {
      this.#field(0)
      this.#field(-1)
    }
    return reader.position === this.end
  }

  #number(): number {
    const value = this.#reader.readVarint()
    this.restSize += sizeOfVarint(value)
    return value
  }

  /** A length of at least `least`, and as many bytes. */
  #field(least: number): number {
    const size = this.#number()
    const length = Math.max(0, size)
    if (size < least || length > this.#reader.end - this.#reader.position) throw badLength(size)
    this.#reader.position += length
    this.restSize += length
    return size
  }

  #copyField(out: Uint8Array, outPosition: number): number {
    const reader = this.#reader
    const size = reader.readVarint()
    const at = writeVarint(out, outPosition, size)
    const length = Math.max(0, size)
    out.set(reader.bytes.subarray(reader.position, reader.position + length), at)
    reader.position += length
    return at + length
  }
}

function badLength(size: number): InvalidBatchError {
  return new InvalidBatchError('ERR_INVALID_BATCH', `a field of ${size} bytes`)
}
