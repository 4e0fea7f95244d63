/**
 * What `log.read()` can be asked for, checked before anything is read.
 */

import { INT32_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { wrongType } from '../errors.js'
import { checkFetchOptions, type FetchOptions } from './fetch.js'

export interface ReadOptions extends Omit<FetchOptions, 'minOneBatch'> {
  /** An offset, `'earliest'` (the default), `'latest'` (the end as it is now), or the first record from a time on. */
  readonly from?: Int64Input | 'earliest' | 'latest' | { readonly timestamp: Int64Input }
  /** Exclusive. Without `follow` the end is fixed at the first pull. */
  readonly to?: Int64Input
  readonly maxRecords?: number
  /**
   * Wait for appends at the end instead of ending; keeps the process alive. Ends by `to`, `maxRecords` or `break`; an
   * aborted `signal` throws its reason, a closed log `ERR_CLOSED`. With `readOnly` it looks at the files again and again.
   */
  readonly follow?: boolean
  /** With `follow` and `readOnly`: longest time between two looks in ms; default 100. They are more frequent after news. */
  readonly pollMs?: number
  /** When the offset to read is gone (retention, truncation): throw (the default), or go on at the log's start. */
  readonly onOutOfRange?: 'throw' | 'earliest'
  /** With `durable` and `follow`: a flush is asked for at most this often; default 10 ms. */
  readonly durableFollowMs?: number
}

const READ_OPTIONS = knownKeys<ReadOptions>({
  from: true,
  to: true,
  maxRecords: true,
  follow: true,
  onOutOfRange: true,
  durableFollowMs: true,
  pollMs: true,
  maxBytes: true,
  isolation: true,
  durable: true,
  signal: true,
})

/** Throws TypeError or RangeError for options that cannot be served. */
export function checkReadOptions(options: ReadOptions): void {
  checkKnown(options, READ_OPTIONS)
  const { maxRecords, durableFollowMs, pollMs, to, from, onOutOfRange } = options
  if (maxRecords !== undefined) toInteger('maxRecords', maxRecords, 0, Number.MAX_SAFE_INTEGER)
  if (durableFollowMs !== undefined) toInteger('durableFollowMs', durableFollowMs, 0, INT32_MAX)
  if (pollMs !== undefined) toInteger('pollMs', pollMs, 1, INT32_MAX)
  if (to !== undefined) toInt64('to', to)
  if (onOutOfRange !== undefined && onOutOfRange !== 'throw' && onOutOfRange !== 'earliest') {
    throw wrongType('onOutOfRange', "'throw' or 'earliest'", onOutOfRange)
  }
  checkFetchOptions(options)
  checkFrom(from)
}

function checkFrom(from: ReadOptions['from']): void {
  if (from === undefined || from === 'earliest' || from === 'latest') return
  if (typeof from === 'object' && from !== null && 'timestamp' in from)
    toInt64('from.timestamp', from.timestamp)
  else if (typeof from === 'object')
    throw wrongType('from', "an offset, 'earliest', 'latest' or {timestamp}", from)
  else toInt64('from', from)
}
