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
import type { LogConfig } from '../config/settings.js'
import { ClosedError, outOfRange } from '../errors.js'
import { type Compression, type EncodedRecords, recordBytes } from '../format/batch-encoder.js'
import { CODEC_NAMES, type CodecName, loadedCodec } from '../format/compression.js'
import type { RecordInput } from '../format/record.js'
import { appendEncoded } from './append.js'
import { type CompressionChoice, compressionOf } from './append-codec.js'
import type { Appended } from './batches-to-append.js'
import type { Flusher } from './flusher.js'
import { GatheredBatch, type GatheringLimits, type Sender, type Senders } from './gathered-batch.js'
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

/** A send that waits until fewer bytes are under way. */
interface Waiting {
  readonly record: RecordInput
  readonly sender: Sender
}

const DEFAULTS = { lingerMs: 0, batchBytes: 16_384, maxPendingBytes: 32 * 1024 * 1024 }

export class Appender implements AsyncDisposable {
  readonly #core: LogCore
  readonly #flusher: Flusher
  readonly #options: Required<Pick<AppenderOptions, 'lingerMs' | 'batchBytes' | 'maxPendingBytes'>> &
    AppenderOptions
  readonly #appendOptions: CompressionChoice
  readonly #gathering = new GatheredBatch()
  #nowMs = 0
  #knownLimits: GatheringLimits
  /** Bytes of batches that are under way. */
  #underWayBytes = 0
  #waiting: Waiting[] = []
  #cancelLinger: (() => void) | undefined
  /** The last batch under way; the next one is appended behind it. */
  #tail: Promise<void> = Promise.resolve()
  #batchesUnderWay = 0
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
    const { compression, compressionLevel } = options
    this.#appendOptions = {
      ...(compression === undefined ? {} : { compression }),
      ...(compressionLevel === undefined ? {} : { compressionLevel }),
    }
    this.#knownLimits = this.#limitsOf(core.config)
  }

  /**
   * Resolves with the record's offset when it is written (with `durable`: on
   * disk). Its bytes are the caller's again on return, unless it has to wait:
   * then they must not change before. One without a timestamp gets this turn's
   * time. Waits while `maxPendingBytes` are under way, so await it to be slowed
   * down.
   */
  send(record: RecordInput): Promise<{ offset: bigint }> {
    return new Promise((resolve, reject) => {
      if (this.#closed)
        throw new ClosedError('ERR_CLOSED', `the appender of ${this.#core.env.name} is closed`)
      this.#core.assertWritable()
      const sender = { resolve, reject }
      if (this.#waiting.length > 0 || !this.#gather(record, sender)) this.#waiting.push({ record, sender })
    })
  }

  /** Resolves when all that was sent before is appended, or refused to its senders; with `durable`, on disk. */
  async flush(): Promise<void> {
    do {
      this.#dispatch(true)
      await this.#tail
    } while (this.#waiting.length > 0 || !this.#gathering.isEmpty)
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

  /** False where the record has to wait for room. Throws where no batch could hold it: it is refused before it shares one. */
  #gather(record: RecordInput, sender: Sender): boolean {
    const gathering = this.#gathering
    const limits = this.#limits()
    const nowMs = this.#now()
    let outcome = gathering.add(record, sender, limits, this.#room(), nowMs)
    if (outcome === 'full') {
      this.#dispatch(true)
      outcome = gathering.add(record, sender, limits, this.#room(), nowMs)
    }
    if (outcome !== 'taken') return false
    if (gathering.sizeInBytes >= limits.batchBytes) this.#dispatch(true)
    else if (this.#cancelLinger === undefined) this.#startLinger(this.#options.lingerMs)
    return true
  }

  /** Bytes that gathered records may take; a record larger than all the room goes alone. */
  #room(): number {
    if (this.#underWayBytes === 0 && this.#gathering.isEmpty) return Number.POSITIVE_INFINITY
    return this.#options.maxPendingBytes - this.#underWayBytes
  }

  /** Asked once for the sends of one turn. */
  #now(): number {
    if (this.#gathering.isEmpty || this.#options.lingerMs > 0) this.#nowMs = this.#core.env.clock.nowMs()
    return this.#nowMs
  }

  /** A batch is never larger than the log takes. */
  #limits(): GatheringLimits {
    const { config } = this.#core
    if (config !== this.#knownLimits.config) this.#knownLimits = this.#limitsOf(config)
    return this.#knownLimits
  }

  #limitsOf(config: LogConfig): GatheringLimits {
    const batchBytes = Math.min(this.#options.batchBytes, config.maxMessageBytes, segmentBytesOf(config))
    return { config, batchBytes, isPlain: compressionOf(config, this.#appendOptions).codec === 'none' }
  }

  #startLinger(lingerMs: number): void {
    const dispatch = () => this.#dispatch(false)
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

  /**
   * Sends the gathered records on their way as one batch. Within the turn of a `send` they are appended behind it:
   * whoever sends on in this turn cannot know yet that the append failed.
   */
  #dispatch(amidSends: boolean): void {
    this.#cancelLinger?.()
    this.#cancelLinger = undefined
    if (this.#gathering.isEmpty) return
    const compression = compressionOf(this.#core.config, this.#appendOptions)
    const isAtOnce = !amidSends && compression.codec === 'none' && this.#batchesUnderWay === 0
    const batch = this.#gathering.take(!isAtOnce)
    if (isAtOnce) {
      this.#append(batch, this.#failures, () => this.#appendPlain(batch.records))
      this.#admitWaiting()
    } else this.#tail = this.#appendLater(this.#tail, batch, this.#prepare(batch.records, compression))
  }

  /** Starts the compression, where there is one; gives what appends the batch. */
  async #prepare(records: EncodedRecords, { codec, level }: Compression): Promise<() => Appended> {
    if (codec === 'none') return () => this.#appendPlain(records)
    const nowMs = this.#core.env.clock.nowMs()
    const bytes = await loadedCodec(codec).compressAsync(recordBytes(records), level)
    return () => appendEncoded(this.#core, records, this.#appendOptions, nowMs, { bytes, codec })
  }

  #appendPlain(records: EncodedRecords): Appended {
    return appendEncoded(this.#core, records, this.#appendOptions, this.#core.env.clock.nowMs())
  }

  async #appendLater(before: Promise<void>, batch: Senders, work: Promise<() => Appended>): Promise<void> {
    const generation = this.#failures
    this.#batchesUnderWay++
    this.#underWayBytes += batch.recordBytes
    work.catch(() => undefined) // awaited below, once the batches before it are done
    await before
    try {
      const append = await work
      this.#append(batch, generation, append)
    } catch (error) {
      this.#refuse(batch, generation, error)
    }
    this.#batchesUnderWay--
    this.#underWayBytes -= batch.recordBytes
    this.#admitWaiting()
  }

  #append(batch: Senders, generation: number, append: () => Appended): void {
    try {
      if (generation !== this.#failures) throw this.#lastError
      this.#settle(batch, append())
    } catch (error) {
      this.#refuse(batch, generation, error)
    }
  }

  /** With what was sent before the failure was known: batches on their way, gathered and waiting sends. */
  #refuse({ senders }: Senders, generation: number, error: unknown): void {
    for (const { reject } of senders) reject(error)
    if (generation !== this.#failures) return
    this.#failures++
    this.#lastError = error
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of this.#gathering.take(false).senders) reject(error)
    for (const { sender } of waiting) sender.reject(error)
  }

  #settle({ senders }: Senders, { baseOffset, lastOffset }: Appended): void {
    if (this.#options.durable !== true) {
      resolveAll(senders, baseOffset)
      return
    }
    this.#flusher.whenDurable(lastOffset + 1n).then(
      () => resolveAll(senders, baseOffset),
      (error) => {
        for (const { reject } of senders) reject(error)
      },
    )
  }

  #admitWaiting(): void {
    let admitted = 0
    for (const { record, sender } of this.#waiting) {
      try {
        if (!this.#gather(record, sender)) break
      } catch (error) {
        sender.reject(error)
      }
      admitted++
    }
    if (admitted > 0) this.#waiting = this.#waiting.slice(admitted)
  }
}

function resolveAll(senders: readonly Sender[], baseOffset: bigint): void {
  let offset = baseOffset
  for (const { resolve } of senders) resolve({ offset: offset++ })
}

function checkCodec(name: CodecName | undefined): void {
  if (name === undefined || CODEC_NAMES.includes(name)) return
  throw outOfRange('compression', `one of ${CODEC_NAMES.join(', ')}`, name)
}
