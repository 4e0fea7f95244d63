/**
 * Kafka's 64-bit integers as bigint: bounds, and what a caller may write for
 * one (bigint, safe integer or decimal text).
 */

import { outOfRange, wrongType } from '../errors.js'

export const INT32_MAX = 2_147_483_647
export const INT64_MAX = 9_223_372_036_854_775_807n
export const INT64_MIN = -9_223_372_036_854_775_808n

/** What one more in the high half of 64 bits is worth. */
export const TWO_TO_32 = 0x1_0000_0000
/** High halves of what a number holds exactly. */
const SAFE_HIGH = 0x20_0000

export type Int64Input = bigint | number | string

/** `value` as a bigint within [min, max]; TypeError or RangeError naming `name`. */
export function toInt64(name: string, value: unknown, min = INT64_MIN, max = INT64_MAX): bigint {
  const parsed = parse(name, value)
  if (parsed < min || parsed > max) throw outOfRange(name, `from ${min} to ${max}`, value)
  return parsed
}

/** `value` as an integer number within [min, max]. */
export function toInteger(name: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number') throw wrongType(name, 'a number', value)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw outOfRange(name, `a whole number from ${min} to ${max}`, value)
  }
  return value
}

/** The big-endian int64 at `position`: a number where it is within ±2^53 (and so exact), else a bigint. */
export function readInt64(bytes: Buffer, position: number): number | bigint {
  const high = bytes.readInt32BE(position)
  if (high >= -SAFE_HIGH && high < SAFE_HIGH) return high * TWO_TO_32 + bytes.readUInt32BE(position + 4)
  return bytes.readBigInt64BE(position)
}

/** `value` as a number where it is within ±2^53, since comparing numbers with bigints is slow. */
export function numberWhereExact(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

let lastMillis = 0
let lastMillisAsInt64 = 0n

/** `millis` as a bigint. The one of before is kept: appends that follow closely have the same time, and making a bigint is slow. */
export function millisToInt64(millis: number | bigint): bigint {
  if (typeof millis === 'bigint') return millis
  if (millis !== lastMillis) {
    lastMillisAsInt64 = BigInt(millis)
    lastMillis = millis
  }
  return lastMillisAsInt64
}

/** The sum of two int64 as a bigint, bits beyond the 64th dropped. Numbers must be integers within ±2^53. */
export function wrappingSum(a: number | bigint, b: number | bigint): bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return BigInt(sum)
  }
  return BigInt.asIntN(64, BigInt(a) + BigInt(b))
}

function parse(name: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    throw outOfRange(name, 'a whole number up to 2^53 - 1 (or a bigint)', value)
  }
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value)
  throw wrongType(name, 'a bigint, a whole number or decimal text', value)
}
