/**
 * Gathers single sends into batches: those of one turn of the event loop, or
 * of `lingerMs`, up to `batchBytes`, become one batch and one write.
 *
 * Batches are appended in the order of their sends, whatever compresses them
 * off the event loop. When an append fails, everything sent before the failure
 * was known fails with it: nothing lands behind a hole.
 */

import { INT32_MAX, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { segmentBytesOf } from '../config/log-config.js'
import { ClosedError, outOfRange, wrongType } from '../errors.js'
import { BatchEncoder, copyOfRecords, recordBytes } from '../format/batch-encoder.js'
import { CODEC_NAMES, type CodecName, loadedCodec } from '../format/compression.js'
import * as layout from '../format/layout.js'
import type { RecordInput } from '../format/record.js'
import { appendEncoded, appendRecords } from './append.js'
import { checkKeys, checkSize, checkTimestamps } from './append-check.js'
import { compressionOf } from './append-codec.js'
import type { Appended } from './batches-to-append.js'
import type { Flusher } from './flusher.js'
import type { LogCore } from './log-core.js'

export interface AppenderOptions {
  /** How long a batch waits for more sends; 0 (default): until this turn has ended. */
  readonly lingerMs?: number
  /** Size at which a batch goes at once, uncompressed; default 16384. */
  readonly batchBytes?: number
  /** Default: the log's `compression.type`. */
  readonly compression?: CodecName
  readonly compressionLevel?: number
  /** Sends resolve when their record is on disk; default false: when it is written. */
  readonly durable?: boolean
  /** Bytes of records sent and not yet appended, beyond which a send waits; default 32 MiB. */
  readonly maxPendingBytes?: number
}

const APPENDER_OPTIONS = knownKeys<AppenderOptions>({
  lingerMs: true,
  batchBytes: true,
  compression: true,
  compressionLevel: true,
  durable: true,
  maxPendingBytes: true,
})

interface Send {
  readonly record: RecordInput
  readonly sizeInBytes: number
  resolve(sent: { offset: bigint }): void
  reject(error: unknown): void
}

/** What offset and timestamp deltas, and with them the length, can take beside those of a batch's first record. */
const DELTA_GROWTH = 4 + 9 + 1

const DEFAULTS = { lingerMs: 0, batchBytes: 16_384, maxPendingBytes: 32 * 1024 * 1024 }

export class Appender implements AsyncDisposable {
  readonly #core: LogCore
  readonly #flusher: Flusher
  readonly #options: Required<Pick<AppenderOptions, 'lingerMs' | 'batchBytes' | 'maxPendingBytes'>> &
    AppenderOptions
  readonly #encoder = new BatchEncoder()
  #gathering: Send[] = []
  #gatheringBytes = 0
  #pendingBytes = 0
  /** Sends that wait for room, in order. */
  #waiting: Send[] = []
  #cancelLinger: (() => void) | undefined
  /** The last batch under way; the next one is appended behind it. */
  #tail: Promise<void> = Promise.resolve()
  /** Raised by a failure: batches begun before it are refused. */
  #failures = 0
  #lastError: unknown
  #closed = false

  constructor(core: LogCore, flusher: Flusher, options: AppenderOptions = {}) {
    core.assertWritable()
    checkKnown(options, APPENDER_OPTIONS)
    toInteger('lingerMs', options.lingerMs ?? 0, 0, INT32_MAX)
    toInteger('batchBytes', options.batchBytes ?? 1, 1, INT32_MAX)
    toInteger('maxPendingBytes', options.maxPendingBytes ?? 1, 1, Number.MAX_SAFE_INTEGER)
    checkCodec(options.compression)
    this.#core = core
    this.#flusher = flusher
    this.#options = { ...DEFAULTS, ...options }
  }

  /**
   * Resolves with the record's offset when it is written (with `durable`: on
   * disk). The record's bytes must not change before. Waits while
   * `maxPendingBytes` are under way, so await it to be slowed down.
   */
  send(record: RecordInput): Promise<{ offset: bigint }> {
    return new Promise((resolve, reject) => {
      if (this.#closed)
        throw new ClosedError('ERR_CLOSED', `the appender of ${this.#core.env.name} is closed`)
      this.#core.assertWritable()
      const send = { record, sizeInBytes: this.#checkedSize(record), resolve, reject }
      if (this.#waiting.length > 0 || !this.#hasRoom(send)) this.#waiting.push(send)
      else this.#gather(send)
    })
  }

  /** Resolves when all that was sent before is appended, or refused to its senders; with `durable`, on disk. */
  async flush(): Promise<void> {
    do {
      this.#dispatch()
      await this.#tail
    } while (this.#waiting.length > 0 || this.#gathering.length > 0)
    if (this.#options.durable === true) await this.#flusher.whenDurable(this.#core.state.logEndOffset)
  }

  /** Sends what was gathered; later sends are refused with `ERR_CLOSED`. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    await this.flush()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Most bytes of the record in any batch. What would refuse a whole batch is refused before it shares one. */
  #checkedSize(record: RecordInput): number {
    const { config, env } = this.#core
    if (typeof record !== 'object' || record === null) throw wrongType('record', 'an object', record)
    checkKeys([record], config)
    const single = this.#encoder.encodeRecords([record], env.clock.nowMs())
    checkTimestamps(single, [record], env.clock.nowMs(), config)
    // A record that would only fit compressed is left to the batch.
    if (compressionOf(config, this.#appendOptions()).codec === 'none') checkSize(single.length, config)
    return single.length - layout.RECORDS_AT + DELTA_GROWTH
  }

  #hasRoom({ sizeInBytes }: Send): boolean {
    return this.#pendingBytes === 0 || this.#pendingBytes + sizeInBytes <= this.#options.maxPendingBytes
  }

  #gather(send: Send): void {
    const { lingerMs } = this.#options
    const batchBytes = this.#batchBytes()
    this.#pendingBytes += send.sizeInBytes
    if (this.#gathering.length > 0 && this.#gatheringBytes + send.sizeInBytes > batchBytes) this.#dispatch()
    this.#gathering.push(send)
    this.#gatheringBytes += send.sizeInBytes
    if (this.#gatheringBytes >= batchBytes) this.#dispatch()
    else if (this.#gathering.length === 1) this.#startLinger(lingerMs)
  }

  /** Never more than the log takes in one batch. */
  #batchBytes(): number {
    const { config } = this.#core
    return (
      Math.min(this.#options.batchBytes, config.maxMessageBytes, segmentBytesOf(config)) - layout.RECORDS_AT
    )
  }

  #startLinger(lingerMs: number): void {
    const dispatch = () => this.#dispatch()
    if (lingerMs > 0) {
      this.#cancelLinger = this.#core.env.clock.after(lingerMs, dispatch, true)
      return
    }
    let cancelled = false
    this.#cancelLinger = () => {
      cancelled = true
    }
    this.#core.env.clock.soon(() => {
      if (!cancelled) dispatch()
    })
  }

  /** Sends the gathered records on their way as one batch. */
  #dispatch(): void {
    this.#cancelLinger?.()
    this.#cancelLinger = undefined
    const sends = this.#gathering
    if (sends.length === 0) return
    this.#gathering = []
    this.#gatheringBytes = 0
    const generation = this.#failures
    const work = this.#prepare(sends.map(({ record }) => record))
    this.#tail = this.#finish(this.#tail, sends, work, generation)
  }

  /** Starts the compression, where there is one; gives what appends the batch. */
  async #prepare(records: RecordInput[]): Promise<() => Appended> {
    const core = this.#core
    const options = this.#appendOptions()
    const { codec, level } = compressionOf(core.config, options)
    if (codec === 'none') return () => appendRecords(core, records, options)
    const nowMs = core.env.clock.nowMs()
    const encoded = this.#encoder.encodeRecords(records, nowMs)
    checkTimestamps(encoded, records, nowMs, core.config)
    // The encoder's buffer is used again by the next batch while this one is being compressed.
    const own = copyOfRecords(encoded)
    const bytes = await loadedCodec(codec).compressAsync(recordBytes(own), level)
    return () => appendEncoded(core, own, options, nowMs, { bytes, codec })
  }

  #appendOptions() {
    const { compression, compressionLevel } = this.#options
    return {
      ...(compression === undefined ? {} : { compression }),
      ...(compressionLevel === undefined ? {} : { compressionLevel }),
    }
  }

  async #finish(
    before: Promise<void>,
    sends: Send[],
    work: Promise<() => Appended>,
    generation: number,
  ): Promise<void> {
    work.catch(() => undefined) // awaited below, once the batches before it are done
    await before
    try {
      if (generation !== this.#failures) throw this.#lastError
      const { baseOffset, lastOffset } = (await work)()
      this.#settle(sends, baseOffset, lastOffset)
    } catch (error) {
      if (generation === this.#failures) this.#failQueued(error)
      for (const { reject } of sends) reject(error)
    }
    for (const { sizeInBytes } of sends) this.#pendingBytes -= sizeInBytes
    this.#admitWaiting()
  }

  /** Refuses what was sent before the failure was known: batches on their way, gathered and waiting sends. */
  #failQueued(error: unknown): void {
    this.#failures++
    this.#lastError = error
    const queued = [...this.#gathering, ...this.#waiting]
    this.#pendingBytes -= this.#gatheringBytes
    this.#gathering = []
    this.#gatheringBytes = 0
    this.#waiting = []
    for (const { reject } of queued) reject(error)
  }

  #settle(sends: Send[], baseOffset: bigint, lastOffset: bigint): void {
    const resolveAll = () => {
      for (const [index, { resolve }] of sends.entries()) resolve({ offset: baseOffset + BigInt(index) })
    }
    if (this.#options.durable !== true) {
      resolveAll()
      return
    }
    this.#flusher.whenDurable(lastOffset + 1n).then(resolveAll, (error) => {
      for (const { reject } of sends) reject(error)
    })
  }

  #admitWaiting(): void {
    let admitted = 0
    for (const send of this.#waiting) {
      if (!this.#hasRoom(send)) break
      admitted++
      this.#gather(send)
    }
    if (admitted > 0) this.#waiting = this.#waiting.slice(admitted)
  }
}

function checkCodec(name: CodecName | undefined): void {
  if (name === undefined || CODEC_NAMES.includes(name)) return
  throw outOfRange('compression', `one of ${CODEC_NAMES.join(', ')}`, name)
}
