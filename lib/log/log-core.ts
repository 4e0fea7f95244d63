/**
 * The one mutable heart of a log: its current state, whether it may be used,
 * and who waits for it to change. Operations (append, roll, read, truncate …)
 * are functions over it, each in its own file.
 *
 * A change is one synchronous `publish`. After a failed write or fsync the log
 * is offline: nothing is retried, every later call fails with the cause.
 */

import { ChangeSignal } from '../base/change-signal.js'
import type { LogConfig } from '../config/settings.js'
import { PartitionLogError } from '../errors.js'
import { BatchEncoder } from '../format/batch-encoder.js'
import type { Segment, SegmentOptions } from '../segment/segment.js'
import type { Beside } from './beside/beside.js'
import { LogCleaning } from './cleaning/log-cleaning.js'
import { closed, offline } from './condition-errors.js'
import { announce } from './events.js'
import { LeaderEpochs } from './leader-epochs.js'
import type { LogEnvironment } from './log-environment.js'
import { asLogError, isTakenBack } from './log-error.js'
import { LogSpace } from './log-space.js'
import { checkedState, type DeletedFile, type LogState, type PendingDeletion } from './log-state.js'
import { NextFiles } from './next-files.js'
import { LogProducers } from './producers/log-producers.js'
import type { RecoveryReport } from './recovery/report.js'
import { Renamings } from './renamings.js'
import { bytesOf } from './retention-plan.js'
import { segmentOptions } from './segment-options.js'
import { SideFiles } from './side-files.js'
import { LogCounters } from './stats-counters.js'

export type LogCondition = 'open' | 'offline' | 'closed'

export class LogCore {
  readonly env: LogEnvironment
  readonly encoder = new BatchEncoder()
  readonly counters = new LogCounters()
  readonly space: LogSpace
  config: LogConfig
  /** Whether retention and cleaning may take anything; see `mayDelete` of config/log-config. */
  mayDelete = true
  epochs = new LeaderEpochs([])
  /** What opening it had to bring into order; null for nothing. */
  recovery: RecoveryReport | null = null
  producers = new LogProducers()
  /** Of a log that is only read. */
  beside: Beside | null = null
  /** Producer snapshots and transaction indexes, written behind appends. */
  readonly sideFiles: SideFiles
  readonly nextFiles: NextFiles
  /** Raised with each file made or renamed; a flush of the directory covers those up to its start. */
  directoryChanges = 0
  readonly renamings = new Renamings()
  readonly cleaning = new LogCleaning()
  readonly pendingDeletions = new Set<PendingDeletion>()
  /** Their files, by path: the last one that was given a name is the one that has it. */
  readonly filesToRemove = new Map<string, DeletedFile>()
  /** Makes the epochs durable; set by the log's owner, as are those that follow. */
  saveEpochs: () => Promise<void> = () => Promise.resolve()
  /** Writes the log's offsets into the directory's checkpoints, durably. */
  saveOffsets: () => Promise<void> = () => Promise.resolve()
  /** Makes durable how far the log is cleaned (undefined: not at all). */
  saveFirstDirtyOffset: (offset: bigint | undefined) => Promise<void> = () => Promise.resolve()
  /** Asks for a flush up to an offset that nobody waits for. */
  flushBehind: (end: bigint) => void = () => undefined
  /** Resolves when everything below an offset is on disk, or cut off. */
  durableBelow: (end: bigint) => Promise<void> = () => Promise.resolve()
  /** Behind the last batch in the files; below the log's end only after a truncation into a batch. */
  endOfRecords: bigint
  #state: LogState
  #condition: LogCondition = 'open'
  #offlineCause: PartitionLogError | undefined
  #truncation: Promise<unknown> | undefined
  readonly #works = new Set<Promise<unknown>>()
  #startMoves = 0
  #lastStartMove: Promise<void> = Promise.resolve()
  /** A flush will be asked for when `flush.ms` have passed. */
  flushIsDue = false
  /** When a flush last ended, ms since the epoch. */
  lastFlushMs: number
  #closing = false
  readonly #timers = new Set<() => void>()
  /** Closing files in favour of others failed. On a full disk what was not cut is cut when they are opened again. */
  readonly #onFileFault = (error: unknown) => {
    const cause = asLogError(error)
    if (!isTakenBack(cause)) this.goOffline(cause)
  }
  readonly #changes = new ChangeSignal()

  constructor(env: LogEnvironment, config: LogConfig, state: LogState) {
    this.env = env
    this.config = config
    this.#state = checkedState(state)
    this.space = new LogSpace(env.room, bytesOf(state.segments))
    this.endOfRecords = state.logEndOffset
    this.nextFiles = new NextFiles(env)
    this.sideFiles = new SideFiles({
      during: (work) => this.during(work),
      flushPath: (path) => env.flushLane.flushPath(path),
      fail: (error) => this.goOffline(asLogError(error)),
    })
    this.lastFlushMs = env.clock.nowMs()
    for (const segment of state.segments) this.adopt(segment)
  }

  /** What fails in `segment` behind the back of everybody is this log's to know. */
  adopt(segment: Segment): void {
    segment.listen(this.#onFileFault)
  }

  get state(): LogState {
    return this.#state
  }

  get condition(): LogCondition {
    return this.#condition
  }

  /** Makes `change` the truth and wakes who waits for it. */
  publish(change: Partial<LogState>): void {
    this.become({ ...this.#state, ...change })
  }

  /** The same with a whole state. */
  become(state: LogState): void {
    this.#state = checkedState(state)
    this.#changes.wake()
  }

  /** Where readers of committed data stop, with this high watermark and start. */
  stableUpTo(highWatermark: bigint, logStartOffset: bigint): bigint {
    return this.producers.table.lastStableOffset(highWatermark, logStartOffset)
  }

  /** Resolves at the next change of state or condition. */
  changed(): Promise<void> {
    return this.#changes.changed()
  }

  assertUsable(): void {
    if (this.#condition === 'closed') throw closed(this.env.name)
    if (this.#condition === 'offline') throw offline(this.env.name, this.#offlineCause)
  }

  /** Usable, and not only for reading. */
  assertOwned(): void {
    this.assertUsable()
    if (this.env.readOnly) {
      throw new PartitionLogError(
        'ERR_READ_ONLY',
        `${this.env.directory} was opened with readOnly; open it without to write`,
      )
    }
  }

  /** Owned, and not on its way out. */
  assertOpen(): void {
    this.assertOwned()
    if (this.#closing) throw closed(this.env.name)
  }

  assertWritable(): void {
    this.assertOpen()
    if (this.#truncation !== undefined) {
      throw new PartitionLogError(
        'ERR_OFFSET_CONFLICT',
        `${this.env.name} is being truncated; append when truncateTo has resolved`,
      )
    }
  }

  /** Appends are refused: its close has begun. */
  get isClosing(): boolean {
    return this.#closing
  }

  /** Bytes behind the log's end may still lie in its files. */
  get isTruncating(): boolean {
    return this.#truncation !== undefined
  }

  /** `work` needs the log's files and threads: a close waits for it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    this.#works.add(running)
    try {
      return await running
    } finally {
      this.#works.delete(running)
    }
  }

  /** Offsets are on their way to disk that the state does not show yet. */
  get isMovingOffsets(): boolean {
    return this.#truncation !== undefined || this.#startMoves > 0
  }

  /**
   * `work` makes a new log start offset durable and then publishes it. One after the other: a lower one must not reach
   * the disk behind a higher one.
   */
  async whileMovingStart(work: () => Promise<void>): Promise<void> {
    this.#startMoves++
    const moving = this.during(() => this.#lastStartMove.then(work))
    this.#lastStartMove = moving.catch(() => undefined)
    try {
      await moving
    } finally {
      this.#startMoves--
    }
  }

  /** Refuses appends while `work` runs. */
  async whileTruncating<T>(work: () => Promise<T>): Promise<T> {
    // What is being cleaned may be what is cut.
    this.cleaning.abort()
    const running = this.during(work)
    // `work` runs up to its first await before this is set: nobody else can in between.
    this.#truncation = running
    try {
      return await running
    } finally {
      this.#truncation = undefined
    }
  }

  /** Refuses appends from now on; resolves when what is under way has ended, however it did. */
  async beginClose(): Promise<void> {
    this.#closing = true
    this.cleaning.abort()
    await Promise.allSettled(this.#works)
  }

  /** A close that could not be finished for want of space: the log goes on. */
  cancelClose(): void {
    this.#closing = false
  }

  /** The log cannot be trusted any more; `cause` is what every later call names. */
  goOffline(cause: PartitionLogError): void {
    if (this.#condition !== 'open') return
    this.#condition = 'offline'
    this.#offlineCause = cause
    this.cleaning.abort()
    announce('offline', () => ({ log: this.env.name, error: cause }))
    this.env.logger.error(
      { log: this.env.name, error: cause },
      `${this.env.name} is offline: ${cause.message}`,
    )
    this.#changes.wake()
    try {
      this.env.onOffline(cause)
    } catch (error) {
      // The host's own fault must not keep those who wait for this log from their answer.
      process.emitWarning(`onOffline of ${this.env.name} threw: ${error}`)
    }
  }

  close(): void {
    this.#condition = 'closed'
    this.space.close()
    this.nextFiles.close()
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
    this.#changes.wake()
  }

  /** Runs `work` after `delayMs`, unless the log is closed before. */
  later(delayMs: number, work: () => void): void {
    const cancel = this.env.clock.after(delayMs, () => {
      this.#timers.delete(cancel)
      work()
    })
    this.#timers.add(cancel)
  }

  debug(fields: object, text: string): void {
    this.env.logger.debug({ log: this.env.name, ...fields }, text)
  }

  info(fields: object, text: string): void {
    this.env.logger.info({ log: this.env.name, ...fields }, text)
  }

  warn(fields: object, text: string): void {
    this.env.logger.warn({ log: this.env.name, ...fields }, text)
  }

  /** Options for a segment of this log at `baseOffset`, its jitter drawn anew. */
  segmentOptions(baseOffset: bigint): SegmentOptions {
    return { ...segmentOptions(this.env, this.config, baseOffset), onFileFault: this.#onFileFault }
  }
}
