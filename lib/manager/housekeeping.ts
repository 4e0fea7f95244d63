/**
 * What runs behind the logs of one or more log directories, with Kafka's
 * intervals and Kafka's order: retention, flushing by time, the three
 * checkpoints, cleaning, and forgetting producers. One log is done after the other, each in a turn of its own.
 *
 * Whatever fails here is told and tried again when it is next due; a
 * checkpoint that cannot be written, for another reason than a full disk,
 * takes its directory offline.
 */

import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/logger.js'
import type { CleanerThread } from '../cleaner/cleaner-thread.js'
import type { ManagerConfig } from '../config/manager-settings.js'
import type { LogConfig } from '../config/settings.js'
import type { PartitionLogError } from '../errors.js'
import type { CleaningReport } from '../log/cleaning/log-cleaning.js'
import type { LogCore } from '../log/log-core.js'
import { asLogError } from '../log/log-error.js'
import type { CheckSchedule, CleanProgressListener } from '../log/log-host.js'
import { minOffset } from '../log/log-state.js'
import { PartitionLog } from '../log/partition-log.js'
import type { RetentionResult } from '../log/retention.js'
import { checkpointedStart } from './build-log.js'
import { type CleanerPlaces, Cleaning } from './cleaning.js'
import type { LogDirectory, OffsetKind } from './log-directory.js'
import { type ScheduledTask, Scheduler } from './scheduler.js'

/** A directory whose logs are kept. */
export interface KeptDirectory {
  readonly directory: LogDirectory
  /** Its open logs by name. */
  readonly logs: ReadonlyMap<string, PartitionLog>
  readonly offlineCause: PartitionLogError | undefined
  goOffline(cause: PartitionLogError): void
}

/** What a round of checks took, by log name, and the logs that failed. */
export interface RetentionRound {
  readonly results: ReadonlyMap<string, RetentionResult>
  readonly failures: readonly PartitionLogError[]
}

export interface HousekeepingOptions {
  readonly clock: Clock
  readonly openCleanerThread: () => CleanerThread
  /** Of logs that are opened one by one: what bounds their cleaners together. */
  readonly cleanerPlaces?: CleanerPlaces
  readonly logger: Logger
  readonly settings: ManagerConfig
  readonly directories: readonly KeptDirectory[]
}

export class Housekeeping {
  readonly #options: HousekeepingOptions
  readonly #scheduler: Scheduler
  readonly retention: ScheduledTask
  readonly cleaning: Cleaning

  constructor(options: HousekeepingOptions) {
    const { clock, logger, settings } = options
    this.#options = options
    this.#scheduler = new Scheduler(clock, (task, error) => {
      logger.error({ task, error }, `the task ${task} failed: ${asLogError(error).message}`)
    })
    const every = (name: string, intervalMs: number, work: () => Promise<void>) =>
      this.#scheduler.every(name, { firstDelayMs: settings.initialTaskDelayMs, intervalMs }, work)
    this.retention = every('log-retention', settings.retentionCheckIntervalMs, async () => {
      await this.runRetention()
    })
    this.cleaning = new Cleaning({
      ...options,
      places: options.cleanerPlaces,
      scheduler: this.#scheduler,
      logs: () => this.#logs(),
    })
    const expiryMs = settings.producerIdExpirationCheckIntervalMs
    this.#scheduler.every('producer-expiration', { firstDelayMs: expiryMs, intervalMs: expiryMs }, () =>
      this.#expireProducers(),
    )
    every('log-flusher', settings.flushSchedulerIntervalMs, () => this.#flushOverdue())
    every('recovery-point-checkpoint', settings.flushOffsetCheckpointIntervalMs, () =>
      this.checkpoint('recoveryPoint'),
    )
    every('log-start-offset-checkpoint', settings.flushStartOffsetCheckpointIntervalMs, () =>
      this.checkpoint('logStartOffset'),
    )
    every('high-watermark-checkpoint', settings.replicaHighWatermarkCheckpointIntervalMs, () =>
      this.checkpoint('highWatermark'),
    )
  }

  /** When a log with these settings is next checked by `runRetention` in the background. */
  retentionChecks(config: LogConfig): CheckSchedule {
    if (!isRetentionsOwn(config)) return this.cleaning.checks
    const intervalMs = this.#options.settings.retentionCheckIntervalMs
    const { nextRunMs } = this.retention
    // With an interval of 0 or less there is one check, and no other.
    const isOver = intervalMs <= 0 && nextRunMs === undefined
    if (isOver || intervalMs === Number.POSITIVE_INFINITY) return { kind: 'never', because: 'no interval' }
    return { kind: 'scheduled', nextMs: nextRunMs ?? null, intervalMs }
  }

  /** One check of every log whose deletions are not the cleaner's to make. */
  async runRetention(): Promise<RetentionRound> {
    const results = new Map<string, RetentionResult>()
    const failures = await this.#eachLog(async (log, core) => {
      if (core.condition !== 'open' || core.isMovingOffsets || !isRetentionsOwn(core.config)) return
      const result = await log.runRetention()
      if (result.deletions.length > 0) results.set(log.name, result)
    })
    return { results, failures }
  }

  /** One cleaning of the log by that name; null where there is none, or nothing to be cleaned. */
  async cleanNow(
    name: string,
    onProgress: CleanProgressListener | undefined,
  ): Promise<CleaningReport | null> {
    for (const { logs } of this.#options.directories) {
      const log = logs.get(name)
      if (log !== undefined) return this.cleaning.cleanNow(log, onProgress)
    }
    return null
  }

  /** Writes checkpoints of these kinds for every directory; durable on return. Throws the first failure once all was tried. */
  async checkpoint(...kinds: OffsetKind[]): Promise<void> {
    const failures: unknown[] = []
    for (const kept of this.#options.directories) {
      for (const kind of kinds) {
        if (kept.offlineCause !== undefined) break
        await this.#checkpointDirectory(kept, kind).catch((error) => failures.push(error))
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Resolves when nothing of it runs any more. */
  async close(): Promise<void> {
    await this.cleaning.close()
    await this.#scheduler.close()
  }

  *#logs(): Iterable<PartitionLog> {
    for (const { logs } of this.#options.directories) yield* logs.values()
  }

  async #checkpointDirectory(kept: KeptDirectory, kind: OffsetKind): Promise<void> {
    try {
      const below = kind === 'recoveryPoint' ? await this.#epochsSaved(kept) : undefined
      const lines = new Map<string, bigint | undefined>()
      for (const [name, log] of kept.logs) {
        const core = PartitionLog.coreOf(log)
        if (!hasSteadyOffsets(core)) continue
        const line = lineOf(core, kind)
        const limit = below?.get(core)
        if (below === undefined || limit !== undefined)
          lines.set(name, limit === undefined || line === undefined ? line : minOffset(line, limit))
      }
      await kept.directory.checkpointAll(kind, lines)
    } catch (error) {
      const cause = asLogError(error)
      if (cause.code !== 'ERR_DISK_FULL') kept.goOffline(cause)
      throw error
    }
  }

  /** Up to where the epochs of each log are on disk: a recovery finds only those that begin at or above its recovery point. */
  async #epochsSaved(kept: KeptDirectory): Promise<ReadonlyMap<LogCore, bigint>> {
    const points = new Map<LogCore, bigint>()
    for (const log of [...kept.logs.values()]) {
      const core = PartitionLog.coreOf(log)
      if (!hasSteadyOffsets(core)) continue
      const { recoveryPoint } = core.state
      await core.during(core.saveEpochs)
      points.set(core, recoveryPoint)
    }
    return points
  }

  /** Forgets producers that wrote nothing for `producer.id.expiration.ms`; never one whose transaction is open. */
  async #expireProducers(): Promise<void> {
    const { clock, settings } = this.#options
    await this.#eachLog(async (_, { condition, isTruncating, producers: { table } }) => {
      if (condition === 'open' && !isTruncating) table.expire(clock.nowMs(), settings.producerIdExpirationMs)
    })
  }

  async #flushOverdue(): Promise<void> {
    await this.#eachLog(async (log, core) => {
      const overdueMs = this.#options.clock.nowMs() - core.lastFlushMs - core.config.flushMs
      if (core.condition === 'open' && !core.isTruncating && overdueMs >= 0) await log.flush()
    })
  }

  /** A log that fails keeps none of the others waiting; the failures, which are logged. */
  async #eachLog(work: (log: PartitionLog, core: LogCore) => Promise<void>): Promise<PartitionLogError[]> {
    const failures: PartitionLogError[] = []
    const { clock, logger, directories } = this.#options
    for (const { logs } of directories) {
      for (const log of [...logs.values()]) {
        try {
          await work(log, PartitionLog.coreOf(log))
        } catch (error) {
          const failure = asLogError(error)
          // A log that is being closed or deleted needs nothing more.
          if (failure.code !== 'ERR_CLOSED') {
            failures.push(failure)
            logger.error({ log: log.name, error }, `${log.name}: ${failure.message}`)
          }
        }
        await new Promise<void>((resolve) => clock.soon(resolve))
      }
    }
    return failures
  }
}

/** Where `compact` is in the policy the cleaner deletes too, between two cleanings. */
export function isRetentionsOwn({ cleanupPolicy }: Pick<LogConfig, 'cleanupPolicy'>): boolean {
  return !cleanupPolicy.includes('compact')
}

/** Whether what the state shows may be written down: a log on its way out does that itself, or is to be forgotten. */
function hasSteadyOffsets({ condition, isClosing, isMovingOffsets }: LogCore): boolean {
  return condition === 'open' && !isClosing && !isMovingOffsets
}

function lineOf({ state, renamings }: LogCore, kind: OffsetKind): bigint | undefined {
  // As long as deleted segments may come back after a stop, their absence does not show where the log starts.
  if (kind !== 'logStartOffset' || renamings.isRunning) return state[kind]
  return checkpointedStart(state.logStartOffset, state.segments[0]?.baseOffset ?? state.logStartOffset)
}
