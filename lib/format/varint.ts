/**
 * Zig-zag variable-length integers, as records hold them: base 128, least
 * significant group first, at most 5 bytes for an int and 10 for a long.
 *
 * As in Kafka, an encoding may be longer than need be as long as it ends
 * within those bytes, and bits beyond the type's width are dropped. Longs are
 * worked on as two 32-bit halves, since bigint arithmetic would dominate the
 * cost of parsing a record.
 */

import { InvalidBatchError } from '../errors.js'

const TWO_TO_32 = 0x1_0000_0000
/** High halves of the longs within ±2^53, which a number holds exactly. */
const SAFE_HIGH = 0x20_0000

/** Bytes that `writeVarint` takes for an int32. */
export function sizeOfVarint(n: number): number {
  return groups((n << 1) ^ (n >> 31))
}

/** Bytes that `writeVarlong` takes for an int64. A number must be an integer within ±2^53. */
export function sizeOfVarlong(n: bigint | number): number {
  const high = highHalf(n)
  const zigZagHigh = ((high << 1) | (lowHalf(n) >>> 31)) ^ (high >> 31)
  if (zigZagHigh === 0) return groups((lowHalf(n) << 1) ^ (high >> 31))
  return Math.ceil((64 - Math.clz32(zigZagHigh)) / 7)
}

/** Writes an int32 and gives the position after it; `buffer` must have room for `sizeOfVarint(n)` bytes. */
export function writeVarint(buffer: Uint8Array, position: number, n: number): number {
  let rest = (n << 1) ^ (n >> 31)
  while ((rest & ~0x7f) !== 0) {
    buffer[position++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  buffer[position++] = rest
  return position
}

/**
 * Writes an int64 and gives the position after it; `buffer` must have room for
 * `sizeOfVarlong(n)` bytes. A number must be an integer within ±2^53.
 */
export function writeVarlong(buffer: Uint8Array, position: number, n: bigint | number): number {
  const low = lowHalf(n)
  const high = highHalf(n)
  const sign = high >> 31
  let restLow = (low << 1) ^ sign
  let restHigh = ((high << 1) | (low >>> 31)) ^ sign
  while (restHigh !== 0 || (restLow & ~0x7f) !== 0) {
    buffer[position++] = (restLow & 0x7f) | 0x80
    restLow = (restLow >>> 7) | (restHigh << 25)
    restHigh >>>= 7
  }
  buffer[position++] = restLow
  return position
}

/**
 * A cursor over `bytes[position, end)`; both ends may be moved by its user.
 * Reading beyond `end`, or an encoding that does not end in time, throws
 * `ERR_INVALID_BATCH`. Nothing is allocated, but for a bigint that is asked for.
 */
export class VarintReader {
  readonly bytes: Uint8Array
  position: number
  end: number

  // Zig-zag halves of the long read last.
  #low = 0
  #high = 0

  constructor(bytes: Uint8Array, position: number, end: number) {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  readVarint(): number {
    const first = this.#next()
    if (first < 0x80) return (first >>> 1) ^ -(first & 1)
    let value = first & 0x7f
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.#next()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1)
    }
    const last = this.#next()
    if (last >= 0x80) throw tooLong('varint', 5)
    value |= last << 28
    return (value >>> 1) ^ -(value & 1)
  }

  readVarlong(): bigint {
    const value = this.readVarlongDelta()
    return typeof value === 'bigint' ? value : BigInt(value)
  }

  /** A long: a number where it is within ±2^53 (and so exact), else a bigint. */
  readVarlongDelta(): number | bigint {
    const first = this.#next()
    if (first < 0x80) return (first >>> 1) ^ -(first & 1)
    this.#readHalves(first & 0x7f)
    const sign = -(this.#low & 1)
    const low = (((this.#low >>> 1) | (this.#high << 31)) ^ sign) >>> 0
    const high = (this.#high >>> 1) ^ sign
    if (high >= -SAFE_HIGH && high < SAFE_HIGH) return high * TWO_TO_32 + low
    return (BigInt(high) << 32n) | BigInt(low)
  }

  /** The groups after the first: four fill the low half, the fifth lies across, the others are the high half's. */
  #readHalves(firstGroup: number): void {
    this.#low = firstGroup
    this.#high = 0
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.#next()
      this.#low |= (byte & 0x7f) << shift
      if (byte < 0x80) return
    }
    const middle = this.#next()
    this.#low |= (middle & 0x7f) << 28
    this.#high = (middle & 0x7f) >>> 4
    if (middle < 0x80) return
    for (let shift = 3; shift <= 31; shift += 7) {
      const byte = this.#next()
      this.#high |= (byte & 0x7f) << shift
      if (byte < 0x80) return
    }
    throw tooLong('varlong', 10)
  }

  #next(): number {
    if (this.position >= this.end) {
      throw new InvalidBatchError(
        'ERR_INVALID_BATCH',
        `a number is cut off at byte ${this.end} of the records`,
      )
    }
    // A position below 0 or beyond the bytes reads 0, and never throws.
    return this.bytes[this.position++] ?? 0
  }
}

function tooLong(what: string, most: number): InvalidBatchError {
  return new InvalidBatchError('ERR_INVALID_BATCH', `a ${what} does not end within ${most} bytes`)
}

/** Of an int32 without its sign; comparisons, since most have one or two. */
function groups(zigZag: number): number {
  if ((zigZag & ~0x7f) === 0) return 1
  if ((zigZag & ~0x3fff) === 0) return 2
  return Math.ceil((32 - Math.clz32(zigZag)) / 7)
}

function lowHalf(n: bigint | number): number {
  return typeof n === 'number' ? n | 0 : Number(BigInt.asIntN(32, n))
}

function highHalf(n: bigint | number): number {
  return typeof n === 'number' ? Math.floor(n / TWO_TO_32) | 0 : Number(BigInt.asIntN(32, n >> 32n))
}
