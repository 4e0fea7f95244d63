/**
 * Reads the fields of Kafka's own messages in their flexible form: big-endian
 * integers, lengths as unsigned varints that count one more than they mean,
 * and tagged fields at the end of each structure.
 *
 * Every length is checked against the bytes that are left.
 */

import { invalidBatch } from './batch.js'

export class CompactReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2))
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#take(2))
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4))
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8))
  }

  /** 22 characters of URL-safe base64, as Kafka writes ids. */
  uuid(): string {
    const at = this.#take(16)
    return this.#bytes.toString('base64url', at, at + 16)
  }

  string(): string {
    const length = this.#length('a text')
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  array<T>(readElement: () => T): T[] {
    const elements: T[] = []
    for (let left = this.#length('a list'); left > 0; left--) elements.push(readElement())
    return elements
  }

  /** Passes over fields that this version does not know. */
  skipTaggedFields(): void {
    for (let left = this.#unsignedVarint(); left > 0; left--) {
      this.#unsignedVarint()
      this.#take(this.#unsignedVarint())
    }
  }

  /** A length that can be: no element takes less than a byte. */
  #length(what: string): number {
    const length = this.#unsignedVarint() - 1
    const left = this.#bytes.length - this.#position
    if (length < 0 || length > left) throw invalidBatch(`${what} claims ${length} of ${left} bytes`)
    return length
  }

  #unsignedVarint(): number {
    let value = 0
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#bytes[this.#take(1)] as number
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw invalidBatch('a varint of more than 5 bytes')
  }

  /** Position of the next `length` bytes, which are there. */
  #take(length: number): number {
    const at = this.#position
    if (length > this.#bytes.length - at)
      throw invalidBatch(`${length} bytes are wanted at ${at} of ${this.#bytes.length}`)
    this.#position += length
    return at
  }
}
