/**
 * From a flag's text to its value. What cannot be one is refused as wrong
 * usage, naming the text.
 */

import { InvalidArgumentError } from 'commander'
import { INT64_MAX } from '../base/int64.js'
import { CODEC_NAMES, type CodecName } from '../format/compression.js'

/** An offset or another whole number of 64 bits, not negative. */
export function parseInt64(text: string): bigint {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > INT64_MAX)
    throw new InvalidArgumentError(`It is no whole number from 0 to ${INT64_MAX}.`)
  return BigInt(text)
}

/** A count from `min` to `max`. */
export function parseCount(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (/^\d{1,16}$/.test(text) && count >= min && count <= max) return count
    throw new InvalidArgumentError(`It is no whole number from ${min} to ${max}.`)
  }
}

/** A time in ms since the epoch, or an ISO date (`2026-11-07`, `2026-11-07T12:00:00Z`). */
export function parseTime(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return parseInt64(text)
  const ms = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It is neither ms since the epoch nor an ISO date.')
  return BigInt(ms)
}

export interface BatchTimes {
  /** Of the first batch, in ms. */
  readonly firstMs: bigint
  /** Added for each further batch. */
  readonly stepMs: bigint
}

/** `MS` or `MS+STEP`. */
export function parseBatchTimes(text: string): BatchTimes {
  const match = /^(\d{1,19})(?:\+(\d{1,19}))?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('It is not MS or MS+STEP.')
  return { firstMs: parseInt64(match[1] as string), stepMs: parseInt64(match[2] ?? '0') }
}

export function parseCodec(text: string): CodecName {
  const codec = CODEC_NAMES.find((name) => name === text)
  if (codec === undefined) throw new InvalidArgumentError(`It is none of ${CODEC_NAMES.join(', ')}.`)
  return codec
}

/** Gathers repeated `name=value`. */
export function gatherSetting(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): (readonly [string, string])[] {
  const equals = text.indexOf('=')
  if (equals <= 0) throw new InvalidArgumentError('It is not name=value.')
  return [...before, [text.slice(0, equals).trim(), text.slice(equals + 1).trim()]]
}
