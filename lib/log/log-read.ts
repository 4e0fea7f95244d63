/**
 * `log.read()`: records, or batches, in order, as async iterables. Between
 * chunks a reader holds nothing but an offset, so rolling, retention and
 * truncation never wait for it.
 */

import { INT32_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { OffsetOutOfRangeError, UnsupportedError, wrongType } from '../errors.js'
import type { Batch, BatchLimits } from '../format/batch.js'
import { recordBatches } from '../format/batches.js'
import { ATTRIBUTES_AT } from '../format/layout.js'
import type { LogRecord } from '../format/record.js'
import { damagedBatch } from '../segment/batch-header.js'
import { AbortedFilter } from './committed.js'
import { checkFetchOptions, type FetchOptions, type FetchResult, fetch, readableEnd } from './fetch.js'
import type { Flusher } from './flusher.js'
import type { LogCore } from './log-core.js'
import { type LogState, minOffset } from './log-state.js'
import { offsetForTimestamp } from './timestamps.js'
import { keepingProcess, Turns } from './turns.js'

export interface ReadOptions extends Omit<FetchOptions, 'minOneBatch'> {
  /** An offset, `'earliest'` (the default), `'latest'` (the end as it is now), or the first record from a time on. */
  readonly from?: Int64Input | 'earliest' | 'latest' | { readonly timestamp: Int64Input }
  /** Exclusive. Without `follow` the end is fixed at the first pull. */
  readonly to?: Int64Input
  readonly maxRecords?: number
  /**
   * Wait for appends at the end instead of ending; keeps the process alive. Ends by `to`, `maxRecords` or `break`; an
   * aborted `signal` throws its reason, a closed log `ERR_CLOSED`. Not with `readOnly` in this version.
   */
  readonly follow?: boolean
  /** When the offset to read is gone (retention, truncation): throw (the default), or go on at the log's start. */
  readonly onOutOfRange?: 'throw' | 'earliest'
  /** With `durable` and `follow`: a flush is asked for at most this often; default 10 ms. */
  readonly durableFollowMs?: number
}

const DURABLE_FOLLOW_MS = 10

const READ_OPTIONS = knownKeys<ReadOptions>({
  from: true,
  to: true,
  maxRecords: true,
  follow: true,
  onOutOfRange: true,
  durableFollowMs: true,
  maxBytes: true,
  isolation: true,
  durable: true,
  signal: true,
})

/** An iterable of records that can also be read batch by batch. Each iteration begins anew. */
export class LogRead implements AsyncIterable<LogRecord> {
  readonly #core: LogCore
  readonly #flusher: Flusher
  readonly #options: ReadOptions
  #nextFlushMs = 0

  constructor(core: LogCore, flusher: Flusher, options: ReadOptions) {
    core.assertUsable()
    if (core.env.readOnly && options.follow === true) {
      throw new UnsupportedError(
        'ERR_UNSUPPORTED',
        'a log opened with readOnly cannot be followed by this version: open it again to see more',
      )
    }
    checkReadOptions(options)
    this.#core = core
    this.#flusher = flusher
    this.#options = options
  }

  /** Records of data batches; markers of transactions are left out, and with `committed` what was aborted. */
  async *[Symbol.asyncIterator](): AsyncGenerator<LogRecord, void, undefined> {
    const { maxRecords = Number.POSITIVE_INFINITY } = this.#options
    let left = maxRecords
    if (left === 0) return
    for await (const { batch, from, to } of this.#readBatches()) {
      if (batch.isControl) continue
      for (const record of batch.records()) {
        if (record.offset < from) continue
        if (record.offset >= to) return
        yield record
        if (--left === 0) return
      }
    }
  }

  /**
   * Whole batches, control batches included, opened already where they are
   * compressed. The first may begin below `from`, the last end above `to`;
   * `maxRecords` ends the iteration with the batch that reaches it.
   */
  async *batches(): AsyncGenerator<Batch, void, undefined> {
    let left = this.#options.maxRecords ?? Number.POSITIVE_INFINITY
    if (left === 0) return
    for await (const { batch } of this.#readBatches()) {
      yield batch
      left -= batch.count
      if (left <= 0) return
    }
  }

  async *#readBatches(): AsyncGenerator<{ batch: Batch; from: bigint; to: bigint }, void, undefined> {
    const core = this.#core
    const turns = new Turns(core.env.clock)
    let offset = await this.#start()
    let before: FetchResult | undefined
    let { generation } = core.state
    const to = this.#end()
    while (offset < to) {
      const chunk = await this.#fetch(offset)
      if (chunk === 'end') return
      if (chunk === 'again') {
        offset = core.state.logStartOffset
        before = undefined
        continue
      }
      // After a truncation other batches may lie where the last chunk ended.
      if (core.state.generation === generation) checkSuccession(core, before, chunk)
      generation = core.state.generation
      let next = offset
      const aborted = new AbortedFilter(chunk.abortedTransactions)
      for (const { batch, source } of sourcedBatches(chunk, core.env.limits)) {
        // No checksum covers the base offset.
        if (batch.lastOffset < next) throw damagedBatch(source.path, source.position, 'offset-order')
        if (batch.magic === 2 && batch.baseOffset >= to) return
        if (!isSound(core, batch)) throw damagedBatch(source.path, source.position, 'bad-crc')
        next = batch.lastOffset + 1n
        if (batch.isControl || !aborted.skips(batch)) {
          await this.#open(batch)
          if (batch.isControl) aborted.skips(batch)
          yield { batch, from: offset, to }
        }
        await turns.give()
      }
      offset = chunk.nextOffset
      before = chunk
    }
  }

  /** The next bytes; `end` where there are none and none are waited for, `again` to go on at the log's start. */
  async #fetch(offset: bigint) {
    const core = this.#core
    const { follow, signal } = this.#options
    try {
      for (;;) {
        const { state } = core
        const chunk = await fetch(core, offset, { ...this.#options, minOneBatch: true })
        if (chunk.batches.length > 0 || chunk.nextOffset > offset) return chunk
        if (follow !== true) return 'end'
        await this.#waitFor(offset, state, signal)
      }
    } catch (error) {
      const restart = error instanceof OffsetOutOfRangeError && this.#options.onOutOfRange === 'earliest'
      if (restart && offset < core.state.logStartOffset) return 'again'
      throw error
    }
  }

  /** Resolves when something may be readable at `offset`; in `seen` nothing was, though its end may lie within a batch. */
  async #waitFor(offset: bigint, seen: LogState, signal: AbortSignal | undefined): Promise<void> {
    const core = this.#core
    const isAtEnd = () =>
      readableEnd(core.state, this.#options) <= offset && offset <= core.state.logEndOffset
    while (core.state === seen || isAtEnd()) {
      core.assertUsable()
      const wantsFlush = this.#options.durable === true && core.state.highWatermark > core.state.durableOffset
      const change = wantsFlush ? this.#flushNow() : core.changed()
      await keepingProcess(core.env.clock, unlessAborted(change, signal))
    }
  }

  /** Asks for a flush, a while after the last one. */
  async #flushNow(): Promise<void> {
    const { clock } = this.#core.env
    const waitMs = this.#nextFlushMs - clock.nowMs()
    if (waitMs > 0) await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    this.#nextFlushMs = clock.nowMs() + (this.#options.durableFollowMs ?? DURABLE_FOLLOW_MS)
    this.#core.assertOwned()
    await this.#flusher.whenDurable(this.#core.state.logEndOffset)
  }

  async #start(): Promise<bigint> {
    const core = this.#core
    const { from = 'earliest' } = this.#options
    if (from === 'earliest') return core.state.logStartOffset
    if (from === 'latest') return readableEnd(core.state, this.#options)
    if (typeof from === 'object') {
      const found = await offsetForTimestamp(core, toInt64('from.timestamp', from.timestamp))
      return found?.offset ?? readableEnd(core.state, this.#options)
    }
    return toInt64('from', from)
  }

  #end(): bigint {
    const { to, follow } = this.#options
    const asked = to === undefined ? undefined : toInt64('to', to)
    if (follow === true) return asked ?? (1n << 63n) - 1n
    const end = readableEnd(this.#core.state, this.#options)
    // An offset beyond the end is asked for once, so that the reader is told.
    return asked === undefined ? maxEnd(end, this.#options.from) : minOffset(asked, end)
  }

  async #open(batch: Batch): Promise<void> {
    if (batch.codec === 'none') return
    await this.#core.env.loadCodec(batch.codec)
    await batch.load()
  }
}

/** The batches of a fetch, each with where it lies. */
function* sourcedBatches({ batches, source }: FetchResult, limits: BatchLimits) {
  if (source === null) return
  let { position } = source
  for (const batch of recordBatches(batches, { ...limits, source })) {
    yield { batch, source: { path: source.path, position } }
    position += batch.sizeInBytes
  }
}

function maxEnd(end: bigint, from: ReadOptions['from']): bigint {
  if (from === undefined || typeof from === 'object' || from === 'earliest' || from === 'latest') return end
  const start = toInt64('from', from)
  return start > end ? start + 1n : end
}

/**
 * A chunk follows the one before it without a gap in the file. A gap means
 * that offsets led around batches, which damaged ones do: `ERR_CORRUPT`.
 */
function checkSuccession({ state }: LogCore, before: FetchResult | undefined, chunk: FetchResult): void {
  if (before === undefined || before.source === null || chunk.source === null) return
  const { path } = before.source
  const end = before.source.position + before.batches.length
  const skipped =
    chunk.source.path === path
      ? chunk.source.position > end
      : state.segments.some(({ logPath, sizeInBytes }) => logPath === path && sizeInBytes > end)
  if (skipped) throw damagedBatch(path, end, 'offset-order')
}

/** Whether the stored checksum is that of the bytes. */
function isSound({ env }: LogCore, batch: Batch): boolean {
  if (batch.magic !== 2) return batch.isValid()
  return env.backend.crc32c(batch.bytes, ATTRIBUTES_AT, batch.sizeInBytes) === batch.crc
}

function checkReadOptions(options: ReadOptions): void {
  checkKnown(options, READ_OPTIONS)
  const { maxRecords, durableFollowMs, to, from, onOutOfRange } = options
  if (maxRecords !== undefined) toInteger('maxRecords', maxRecords, 0, Number.MAX_SAFE_INTEGER)
  if (durableFollowMs !== undefined) toInteger('durableFollowMs', durableFollowMs, 0, INT32_MAX)
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

/** `promise`, or the signal's reason as soon as it is aborted. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
