/**
 * `log.read()`: records, or batches, in order, as async iterables. Between
 * chunks a reader holds nothing but an offset, so rolling, retention and
 * truncation never wait for it.
 */

import { toInt64 } from '../base/int64.js'
import { OffsetOutOfRangeError } from '../errors.js'
import type { Batch, BatchLimits } from '../format/batch.js'
import { recordBatches } from '../format/batches.js'
import { ATTRIBUTES_AT } from '../format/layout.js'
import { type LogRecord, plainRecord } from '../format/record.js'
import { damagedBatch } from '../segment/batch-header.js'
import { AbortedFilter } from './committed.js'
import { type FetchResult, fetch, readableEnd } from './fetch.js'
import type { Flusher } from './flusher.js'
import type { LogCore } from './log-core.js'
import { type LogState, minOffset } from './log-state.js'
import { checkReadOptions, type ReadOptions } from './read-options.js'
import { offsetForTimestamp } from './timestamps.js'
import { keepingProcess, Turns } from './turns.js'

const DURABLE_FOLLOW_MS = 10
const FIRST_POLL_MS = 5
const POLL_MS = 100

/** An iterable of records that can also be read batch by batch. Each iteration begins anew. */
export class LogRead implements AsyncIterable<LogRecord> {
  readonly #core: LogCore
  readonly #flusher: Flusher
  readonly #options: ReadOptions
  #nextFlushMs = 0

  constructor(core: LogCore, flusher: Flusher, options: ReadOptions) {
    core.assertUsable()
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
      const cursor = batch.cursor()
      while (cursor.next()) {
        const { offset } = cursor
        if (offset < from) continue
        if (offset >= to) return
        yield plainRecord(cursor)
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
    // The newest that the writer's files show is where such a reader begins to wait.
    if (this.#options.follow === true) await core.beside?.settle()
    const place: Place = { offset: await this.#start(), before: undefined, generation: core.state.generation }
    const to = this.#end()
    const turns = new Turns(core.env.clock)
    while (place.offset < to) {
      const chunk = await this.#fetch(place.offset)
      if (chunk === 'end') return
      if (chunk === 'again') {
        place.offset = core.state.logStartOffset
        place.before = undefined
        continue
      }
      try {
        if (yield* this.#batchesOf(chunk, place, to, turns)) return
      } catch (error) {
        if (!(await this.#isOvertaken(place.generation))) throw error
      }
    }
  }

  /** True where `to` is reached. On the way `place` moves behind each batch. */
  async *#batchesOf(chunk: FetchResult, place: Place, to: bigint, turns: Turns) {
    const core = this.#core
    const { before, offset: from, generation } = place
    // After a truncation other batches may lie where the last chunk ended.
    const isSameLog = core.state.generation === generation
    if (isSameLog) checkSuccession(core, before, chunk)
    // The first batch of all may begin below the offset asked for, others follow one another.
    let follows = isSameLog && before !== undefined
    place.generation = core.state.generation
    place.before = undefined
    const aborted = new AbortedFilter(chunk.abortedTransactions)
    for (const { batch, source } of sourcedBatches(chunk, core.env.limits)) {
      // No checksum covers the base offset.
      if (batch.lastOffset < place.offset) throw damagedBatch(source.path, source.position, 'offset-order')
      if (batch.magic === 2 && batch.baseOffset >= to) return true
      if (!isSound(core, batch)) throw damagedBatch(source.path, source.position, 'bad-crc')
      const nextOffset = place.offset
      place.offset = batch.lastOffset + 1n
      if (batch.isControl || !aborted.skips(batch)) {
        await this.#open(batch)
        // Of a compressed one of an old format the first offset is known only now.
        if (follows && batch.magic < 2 && batch.baseOffset < nextOffset)
          throw damagedBatch(source.path, source.position, 'offset-order')
        if (batch.isControl) aborted.skips(batch)
        yield { batch, from, to }
      }
      follows = true
      if (turns.isDue) await turns.give()
    }
    place.offset = chunk.nextOffset
    place.before = chunk
    return false
  }

  /** Of a log that is only read: its writer has cut or replaced what was being read, and it is to be read again. */
  async #isOvertaken(generation: number): Promise<boolean> {
    const { beside, state } = this.#core
    if (beside === null) return false
    if (state.generation === generation) await beside.settle()
    return this.#core.state.generation !== generation
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
    const { pollMs = POLL_MS } = this.#options
    for (let delayMs = Math.min(FIRST_POLL_MS, pollMs); core.state === seen || isAtEnd(); ) {
      core.assertUsable()
      await keepingProcess(core.env.clock, unlessAborted(this.#change(delayMs), signal))
      delayMs = Math.min(2 * delayMs, pollMs)
    }
  }

  /** Resolves when something may have changed; a log that is only read is looked at again after `delayMs`. */
  #change(delayMs: number): Promise<void> {
    const { beside, state } = this.#core
    if (beside !== null) return beside.lookAfter(delayMs, this.#options.signal)
    const wantsFlush = this.#options.durable === true && state.highWatermark > state.durableOffset
    return wantsFlush ? this.#flushNow() : this.#core.changed()
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

/** Where a reader is. */
interface Place {
  /** The next that it asks for. */
  offset: bigint
  /** What it has read whole, of the log as it is. */
  before: FetchResult | undefined
  /** Of the state that it has read. */
  generation: number
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
