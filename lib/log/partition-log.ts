/** One partition log, as users hold it: every public method, each a call of its own file. */
import { INT32_MAX, INT64_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { jsonable } from '../base/jsonable.js'
import type { LogConfigInput } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import type { RecordInput } from '../format/record.js'
import { type AppendOptions, appendRecords, NO_OPTIONS } from './append.js'
import { type AppendBatchesOptions, appendBatches } from './append-batches.js'
import { type AppendBatchesResult, AppendReceipt, type AppendResult } from './append-result.js'
import { Appender, type AppenderOptions } from './appender.js'
import type { Appended } from './batches-to-append.js'
import { type CleanOptions, progressListener } from './cleaning/clean-options.js'
import type { CleaningReport } from './cleaning/log-cleaning.js'
import { closeHosted, discardLog } from './close.js'
import { type EndTransactionOptions, endTransaction } from './end-transaction.js'
import { type ExplainOptions, explainLog } from './explain.js'
import type { LogExplanation } from './explained-log.js'
import { type FetchOptions, type FetchResult, fetch, fetchSync } from './fetch.js'
import { Flusher } from './flusher.js'
import { setHighWatermark } from './high-watermark.js'
import type { EpochEnd } from './leader-epochs.js'
import { type Located, locate } from './locate.js'
import type { LogCondition, LogCore } from './log-core.js'
import type { LogHost } from './log-host.js'
import { LogRead } from './log-read.js'
import { LogRecords } from './log-records.js'
import { type LogOffsets, offsetsOf } from './log-state.js'
import type { ReadOptions } from './read-options.js'
import { offsetOutOfRange } from './read-plan.js'
import type { RecoveryReport } from './recovery/report.js'
import { type RetentionResult, runRetention } from './retention.js'
import { roll } from './roll.js'
import { type SegmentSummary, segmentSizes, summarize } from './segment-summary.js'
import { type LogStats, statsOf } from './stats.js'
import { type OffsetAndTimestamp, offsetForMaxTimestamp, offsetForTimestamp } from './timestamps.js'
import { LogProducer, type ProducerOptions } from './transaction-producer.js'
import { type OpenTransaction, openTransactions } from './transactions-open.js'
import { deleteRecordsBefore, truncateTo } from './truncate.js'
import { ConfigUpdates } from './update-config.js'

export class PartitionLog implements AsyncDisposable {
  readonly #core: LogCore
  readonly #flusher: Flusher
  readonly #host: LogHost
  readonly #records: LogRecords
  readonly #configUpdates: ConfigUpdates
  #closing: Promise<void> | undefined

  /** @internal Logs are opened by `openLog`. */
  constructor(core: LogCore, host: LogHost) {
    this.#core = core
    this.#host = host
    this.#flusher = new Flusher(core)
    this.#records = new LogRecords(core, host, this.#flusher)
    this.#configUpdates = new ConfigUpdates(core)
    this.#records.serve()
  }

  /** `topic-partition`, the directory's own name. */
  get name(): string {
    return this.#core.env.name
  }
  get path(): string {
    return this.#core.env.directory
  }

  get state(): LogCondition {
    return this.#core.condition
  }

  /** What opening had to bring into order; null for nothing. */
  get recovery(): (RecoveryReport & { toJSON(): object }) | null {
    return this.#core.recovery && jsonable({ ...this.#core.recovery })
  }
  /** The settings in force, all of them; changed by `updateConfig`. */
  get config(): LogConfig {
    return this.#core.config
  }

  /** The offsets as they are now; each the first that it does not cover. */
  get offsets(): LogOffsets & { toJSON(): object } {
    return jsonable(offsetsOf(this.#core.state))
  }

  /** Summaries of the segments, by rising base offset; the last is active. Opens indexes not opened yet. */
  get segments(): readonly SegmentSummary[] {
    return summarize(this.#core.state)
  }

  /** Base offset and bytes of records of each segment, by rising base offset. Opens no file, however many there are. */
  get segmentSizes(): readonly { readonly baseOffset: bigint; readonly sizeInBytes: number }[] {
    return segmentSizes(this.#core.state)
  }

  /** What the log has done since it was opened, and what it has now; numbers as they were in this moment. */
  stats(): LogStats {
    return statsOf(this.#core)
  }

  /** Leader epochs and the offsets at which they began. */
  get leaderEpochs(): readonly { readonly epoch: number; readonly startOffset: bigint }[] {
    return this.#core.epochs.entries
  }

  /** Where a leader epoch ended: the largest known at or below it, and the start of the next one or the log's end. Null where that cannot be known. */
  endOffsetForEpoch(epoch: number): (EpochEnd & { toJSON(): object }) | null {
    const { epochs, state } = this.#core
    const end = epochs.endOffsetFor(toInteger('epoch', epoch, -1, INT32_MAX), state.logEndOffset)
    return end && jsonable({ ...end })
  }

  /** With `readOnly`: takes in what the writer has done since the last look. `ERR_UNCLEAN` amid a swap, `ERR_NOT_A_LOG` where the log is gone; it stays as it was then. */
  async refresh(): Promise<void> {
    this.#core.assertUsable()
    await this.#core.beside?.settle()
  }

  /**
   * Appends `records` as one batch: synchronous, visible to readers on return; on disk once `durable()` resolves.
   * Input bytes are not needed after the return. Compression runs on this turn; the appender's does not.
   *
   * Refuses before anything is written: `ERR_INVALID_BATCH`,
   * `ERR_BATCH_TOO_LARGE`, `ERR_KEY_REQUIRED`, `ERR_TIMESTAMP_OUT_OF_BOUNDS`,
   * `ERR_OFFSET_CONFLICT`, `ERR_CODEC_NOT_LOADED`, `ERR_NO_ROOM`, `ERR_CLOSED`, `ERR_READ_ONLY`. `ERR_DISK_FULL`: the
   * write was taken back, the log stays usable. Any other `ERR_IO` takes the log offline.
   */
  append(records: readonly RecordInput[], options: AppendOptions = NO_OPTIONS): AppendResult {
    return this.#appended(appendRecords(this.#core, records, options))
  }

  /**
   * Appends record batches as they are on the wire. As `leader`: one batch with offsets from 0 on, which gets its offsets
   * here. As `follower`: any number with their offsets; those of a newer epoch and a batch cut short at the end are not
   * taken (`rejected`). Null where there is no whole batch.
   */
  appendBatches(bytes: Uint8Array, options: AppendBatchesOptions): AppendBatchesResult | null {
    const appended = appendBatches(this.#core, bytes, options)
    if (appended === null) return null
    const { appendedBytes, rejected } = appended
    return Object.assign(this.#appended(appended), { appendedBytes, rejected })
  }

  /** A producer that counts its sequences and can group appends into transactions. Goes on where the log's state of `id` stands. */
  producer(options: ProducerOptions): LogProducer {
    return new LogProducer(this.#core, this, options)
  }

  /** Ends a producer's transaction by its marker, as a broker does for a coordinator. `ERR_PRODUCER_FENCED` for an old epoch. */
  endTransaction(options: EndTransactionOptions): AppendResult {
    return this.#appended(endTransaction(this.#core, options))
  }

  /** Transactions that have begun and not ended, by their first offset: the first holds the last stable offset back. */
  openTransactions(): readonly OpenTransaction[] {
    return openTransactions(this.#core)
  }

  /** Gathers single sends into batches. */
  appender(options: AppenderOptions = {}): Appender {
    return new Appender(this.#core, this.#flusher, options)
  }

  /** Records from an offset or a time on, as an async iterable; `.batches()` gives batches. */
  read(options: ReadOptions = {}): LogRead {
    return new LogRead(this.#core, this.#flusher, options)
  }

  /** Whole batches from the one that holds `offset` on. `ERR_OFFSET_OUT_OF_RANGE` outside start and end. */
  fetch(offset: Int64Input, options: FetchOptions = {}): Promise<FetchResult> {
    return fetch(this.#core, offset, options)
  }

  /** `fetch` on the caller's turn; may block on a cold disk. */
  fetchSync(offset: Int64Input, options: FetchOptions = {}): FetchResult {
    return fetchSync(this.#core, offset, options)
  }

  /** How an offset is found: the index's answer and the batch. May block on a cold disk. */
  locate(offset: Int64Input): Located {
    return locate(this.#core, offset)
  }

  /** The first record, by offset, with a timestamp at or above `timestamp` ms; null where there is none. */
  offsetForTimestamp(timestamp: Int64Input): Promise<OffsetAndTimestamp | null> {
    return offsetForTimestamp(this.#core, toInt64('timestamp', timestamp))
  }

  /** The first record with the largest timestamp of the log; null in a log without timestamps. */
  offsetForMaxTimestamp(): Promise<OffsetAndTimestamp | null> {
    return offsetForMaxTimestamp(this.#core)
  }

  /** Resolves when the record at `offset` and all before it are on disk. `ERR_OFFSET_OUT_OF_RANGE` for one not yet appended. */
  async whenDurable(offset: Int64Input): Promise<void> {
    const asked = toInt64('offset', offset, 0n, INT64_MAX - 1n)
    if (asked >= this.#core.state.logEndOffset) throw offsetOutOfRange(this.name, asked, this.#core.state)
    await this.#whenDurable(asked + 1n)
  }

  /** Everything appended so far is on disk on return, and so are the leader epochs. */
  async flush(): Promise<void> {
    this.#core.assertWritable()
    await this.#core.during(this.#records.flushAll)
  }

  /** Begins a new segment now; an empty active one takes its own place. Gives its base offset. */
  roll(): bigint {
    this.#core.assertWritable()
    const { segment, announce } = roll(this.#core, 0n, 'requested')
    announce()
    return segment.baseOffset
  }

  /** Drops the records from `offset` on; durable on return. False where there were none. Appends are refused meanwhile. */
  truncateTo(offset: Int64Input): Promise<boolean> {
    return truncateTo(this.#core, offset, this.#records)
  }

  /** Raises the log start offset to `offset` (-1: the high watermark), once that is durable; retention takes whole segments below. */
  deleteRecordsBefore(offset: Int64Input): Promise<bigint> {
    return deleteRecordsBefore(this.#core, offset, this.#records)
  }

  /** One retention check, now. On return its segments are renamed to `.deleted`, on disk, and unlinked after `file.delete.delay.ms`. Takes nothing from a foreign log without settings of deletion. */
  runRetention(): Promise<RetentionResult> {
    return runRetention(this.#core, this.#records)
  }

  /** One cleaning now, whatever `min.cleanable.dirty.ratio` says, in place and on disk on return; null where nothing can be cleaned (`explain` tells why). `ERR_CORRUPT` names a batch that cannot be read. */
  async clean(options: CleanOptions = {}): Promise<CleaningReport | null> {
    this.#core.assertWritable()
    return (await this.#host.clean?.(progressListener(options))) ?? null
  }

  /** Tries a log that was set aside after a failed cleaning again, with the next round. */
  retryCleaning(): void {
    this.#core.cleaning.setAside = undefined
  }

  /** Why nothing has rolled, been deleted or cleaned yet, segment by segment, and when it will. May block on a cold disk. */
  explain(options: ExplainOptions = {}): LogExplanation {
    const checks = {
      retention: this.#host.retentionChecks?.(this.config),
      cleaner: this.#host.cleanerChecks?.(),
    }
    return explainLog(this.#core, checks, options)
  }

  /** Changes the settings that `partial` names: on disk and in force on return (docs/settings.md). Where it throws the old ones stay. */
  updateConfig(partial: LogConfigInput): Promise<LogConfig> {
    return this.#configUpdates.update(partial)
  }

  /** With `highWatermark: 'manual'`: readers may read below `offset`, from the mark as it is up to the log's end. */
  setHighWatermark(offset: Int64Input): void {
    setHighWatermark(this.#core, offset)
  }

  /** A clean close, unless the log is offline. What an appender still holds is refused. `ERR_DISK_FULL` leaves the log open. */
  close(): Promise<void> {
    this.#closing ??= closeHosted(this.#core, this.#flusher, this.#host, this.#records).catch((error) => {
      if (this.#core.condition === 'open') this.#closing = undefined
      throw error
    })
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** @internal For the manager of this log. */
  static coreOf(log: PartitionLog): LogCore {
    return log.#core
  }

  /** @internal The close that its user began, if any. */
  static closingOf(log: PartitionLog): Promise<void> | undefined {
    return log.#closing
  }

  /** @internal Closes a log that is being deleted: nothing more is written. A close under way is waited for. */
  static async discard(log: PartitionLog): Promise<void> {
    while (log.state !== 'closed') {
      log.#closing ??= discardLog(log.#core)
      await log.#closing.catch(() => undefined)
    }
  }

  #appended(appended: Appended): AppendResult {
    return new AppendReceipt(appended, () => this.#whenDurable(appended.lastOffset + 1n))
  }

  async #whenDurable(end: bigint): Promise<void> {
    if (end <= this.#core.state.durableOffset) return
    this.#core.assertOwned()
    await this.#flusher.whenDurable(end)
  }
}
