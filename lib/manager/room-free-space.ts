/**
 * Keeps `minFreeBytes` free on a directory's volume. The free space is
 * measured off the event loop: with the first append after a second without a
 * measurement, and after every 16 MiB written. In between, all that was
 * written since the measurement began is taken off it, so that the limit holds
 * whether the measurement has seen that or not.
 *
 * From a refusal on until there is room for what was refused, it is measured
 * every second, which keeps no process alive. A measurement that fails is told once and changes nothing:
 * the last one, less what was written since, counts until one succeeds.
 */

import { PartitionLogError } from '../errors.js'
import { asLogError } from '../log/log-error.js'
import type { RoomOptions, RoomStats } from './room-limits.js'

const EVERY_MS = 1_000
const EVERY_BYTES = 16 * 1024 * 1024
/** A refused append asks for a measurement, but for no more than one in this time. */
const REFUSED_EVERY_MS = 50

const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number

export class FreeSpace {
  readonly #options: RoomOptions
  /** What `writtenBytes` of the directory's usage may reach. */
  #ceiling = POSITIVE_INFINITY
  /** Up to here, and in this time, an append need not look. */
  #lookAt = POSITIVE_INFINITY
  #fromMs = NEGATIVE_INFINITY
  #untilMs = POSITIVE_INFINITY
  /** When the last measurement began. */
  #askedMs = 0
  #isMeasuring = false
  /** Space was given back while it was being measured. */
  #isOutdated = false
  /** What the append that was refused last asked for, until there is room for it. */
  #refusedBytes: number | undefined
  #failure: PartitionLogError | undefined
  #cancelTimer: (() => void) | undefined
  #isClosed = false

  constructor(options: RoomOptions) {
    this.#options = options
  }

  /** The first measurement; throws where it fails. */
  async begin(): Promise<void> {
    if (this.#options.limits.minFreeBytes === 0) return
    await this.#measure()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** `ERR_NO_ROOM` unless `bytes` more may be written. */
  check(bytes: number, nowMs: number): void {
    const writtenBytes = this.#options.usage.writtenBytes + bytes
    if (writtenBytes > this.#lookAt || nowMs >= this.#untilMs || nowMs < this.#fromMs)
      this.#look(bytes, nowMs)
  }

  /** Files were removed: appends that are refused may have room now. */
  mayHaveGrown(): void {
    if (this.#refusedBytes === undefined) return
    if (this.#isMeasuring) this.#isOutdated = true
    else void this.#measure()
  }

  stats(): Pick<RoomStats, 'freeBytes' | 'minFreeBytes'> {
    const { minFreeBytes } = this.#options.limits
    if (minFreeBytes === 0) return { freeBytes: null, minFreeBytes: null }
    return { freeBytes: this.#freeBytes(), minFreeBytes }
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer?.()
  }

  #look(bytes: number, nowMs: number): void {
    const isRefused = this.#options.usage.writtenBytes + bytes > this.#ceiling
    const isOld = Math.abs(nowMs - this.#askedMs) >= REFUSED_EVERY_MS
    if (!isRefused || isOld) void this.#measure()
    if (!isRefused) return
    this.#refusedBytes = bytes
    this.#measureLater()
    throw this.#noRoom(bytes, nowMs)
  }

  /** Never throws. One at a time. */
  async #measure(): Promise<void> {
    if (this.#isMeasuring || this.#isClosed) return
    this.#isMeasuring = true
    const { files, path, usage, limits, clock } = this.#options
    const { writtenBytes } = usage
    this.#askedMs = clock.nowMs()
    this.#rest(this.#ceiling, NEGATIVE_INFINITY, POSITIVE_INFINITY)
    try {
      const freeBytes = await files.freeBytes(path)
      this.#failure = undefined
      this.#ceiling = writtenBytes + freeBytes - limits.minFreeBytes
    } catch (error) {
      this.#failed(asLogError(error))
    }
    this.#isMeasuring = false
    this.#measured(writtenBytes)
  }

  /** Says when the next measurement is due; `writtenBytes`: when this one began. */
  #measured(writtenBytes: number): void {
    const next = this.#failure === undefined ? writtenBytes + EVERY_BYTES : POSITIVE_INFINITY
    this.#rest(Math.min(this.#ceiling, next), this.#askedMs, this.#askedMs + EVERY_MS)
    const refused = this.#refusedBytes
    if (refused !== undefined && this.#options.usage.writtenBytes + refused <= this.#ceiling)
      this.#refusedBytes = undefined
    if (this.#isOutdated) {
      this.#isOutdated = false
      void this.#measure()
    } else if (this.#refusedBytes !== undefined) this.#measureLater()
  }

  /** Appends need not look until one of these is passed. */
  #rest(lookAt: number, fromMs: number, untilMs: number): void {
    this.#lookAt = lookAt
    this.#fromMs = fromMs
    this.#untilMs = untilMs
  }

  #measureLater(): void {
    if (this.#isMeasuring || this.#isClosed) return
    this.#cancelTimer?.()
    this.#cancelTimer = this.#options.clock.after(EVERY_MS, () => void this.#measure())
  }

  #failed(failure: PartitionLogError): void {
    const { logger, path } = this.#options
    if (this.#failure === undefined) {
      logger.warn(
        { logDir: path, error: failure },
        `the free space of ${path} cannot be measured, the last measurement goes on to count: ${failure.message}`,
      )
    }
    this.#failure = failure
  }

  /** As last measured, less what was written since. */
  #freeBytes(): number {
    const { usage, limits } = this.#options
    return Math.max(0, this.#ceiling + limits.minFreeBytes - usage.writtenBytes)
  }

  #noRoom(bytes: number, nowMs: number): PartitionLogError {
    const { path, limits } = this.#options
    const [expected, actual] = [limits.minFreeBytes, this.#freeBytes()]
    const failure =
      this.#failure === undefined ? '' : ` (${nowMs - this.#askedMs} ms ago it could not be measured)`
    return new PartitionLogError(
      'ERR_NO_ROOM',
      `no room for ${bytes} bytes: ${actual} bytes are free for ${path}${failure}, and minFreeBytes is ${expected}; ` +
        'free space on that volume, let retention take more, or lower minFreeBytes',
      { path, expected, actual },
      this.#failure,
    )
  }
}
