/**
 * Kafka's 64-bit integers as bigint: bounds, and what a caller may write for
 * one (bigint, safe integer or decimal text).
 */

import { outOfRange, wrongType } from '../errors.js'

export const INT32_MAX = 2_147_483_647
export const INT64_MAX = 9_223_372_036_854_775_807n
export const INT64_MIN = -9_223_372_036_854_775_808n

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

function parse(name: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    throw outOfRange(name, 'a whole number up to 2^53 - 1 (or a bigint)', value)
  }
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value)
  throw wrongType(name, 'a bigint, a whole number or decimal text', value)
}
