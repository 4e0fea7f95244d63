/** Keys of 16 bytes by their number, the same on Kafka's side (KeyMapRow.java), and a generator of numbers. */

/** Key number `n`, at `bytes[at, at + 16)`. */
export function writeKey(bytes, at, n) {
  bytes.writeUInt32BE(n, at)
  bytes.writeUInt32BE(Math.imul(n, 2_654_435_761) >>> 0, at + 4)
  bytes.writeUInt32BE((n ^ 0x5bd1_e995) >>> 0, at + 8)
  bytes.writeUInt32BE(Math.imul(n, 2_246_822_519) >>> 0, at + 12)
}

/** Marsaglia's xorshift of 32 bits. */
export class Random {
  #state = 2_463_534_242

  next() {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x >>> 0
    return this.#state
  }
}
