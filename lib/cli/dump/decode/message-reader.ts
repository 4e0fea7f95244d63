/**
 * Reads the bytes of Kafka's messages, the old form and the flexible one. What
 * cannot be read is told in Kafka's own words, since its dump prints them.
 */

import { javaText } from '../java-text.js'

/** Bytes that are not the message that they should be. */
export class MessageError extends Error {}

/** Kafka's words for a buffer that ends too early. */
const UNDERFLOW = 'null'

export class MessageReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get remaining(): number {
    return this.#bytes.length - this.#position
  }

  int8(): number {
    return this.#bytes.readInt8(this.#take(1))
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

  /** Of 32 bits, and negative where the highest one is set, as in Java. */
  unsignedVarint(): number {
    let value = 0
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.int8()
      if (byte >= 0) return value | (byte << shift)
      value |= shift === 28 ? byte << shift : (byte & 0x7f) << shift
    }
    throw new MessageError(
      `Varint is too long, the most significant bit in the 5th byte is set, converted value: ${(value >>> 0).toString(16)}`,
    )
  }

  /** 22 characters of URL-safe base64, as Kafka writes ids. */
  uuid(): string {
    const at = this.#take(16)
    return this.#bytes.toString('base64url', at, at + 16)
  }

  text(length: number): string {
    return javaText(this.bytes(length))
  }

  /** A view. */
  bytes(length: number): Buffer {
    // What Java says of an array of such a size.
    if (length < 0) throw new MessageError(`${length}`)
    if (length > this.remaining)
      throw new MessageError(
        `Error reading byte array of ${length} byte(s): only ${this.remaining} byte(s) available`,
      )
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  #take(length: number): number {
    if (length > this.remaining) throw new MessageError(UNDERFLOW)
    const at = this.#position
    this.#position += length
    return at
  }
}
