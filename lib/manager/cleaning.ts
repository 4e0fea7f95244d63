/**
 * The cleaner's place among the background work: when its loops run, with
 * which settings, on which threads.
 */

import type { Backend } from '../backend/contract.js'
import type { Clock } from '../base/clock.js'
import { INT32_MAX } from '../base/int64.js'
import type { Logger } from '../base/logger.js'
import { IoThrottle } from '../cleaner/clean-control.js'
import type { CleanSettings } from '../cleaner/clean-job.js'
import { Cleaner, type CleanerRound } from '../cleaner/cleaner.js'
import type { CleanerThread } from '../cleaner/cleaner-thread.js'
import type { ManagerConfig } from '../config/manager-settings.js'
import { DEFAULT_BATCH_LIMITS } from '../format/batch.js'
import type { CleaningReport } from '../log/cleaning/log-cleaning.js'
import type { CheckSchedule, CleanProgressListener } from '../log/log-host.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { Machine } from './machine.js'
import type { ScheduledTask, Scheduler } from './scheduler.js'
import { WorkerCleaner } from './worker-cleaner.js'

const MIB = 1 << 20
/** A buffer for less would cost more calls than it saves memory. */
const LEAST_IO_BUFFER_BYTES = 16 << 10

export interface CleaningOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: ManagerConfig
  readonly openCleanerThread: () => CleanerThread
  readonly scheduler: Scheduler
  readonly logs: () => Iterable<PartitionLog>
  /** Shared with other cleaners of the process: each round takes one, or is left out. Absent: rounds are bounded by the loops alone. */
  readonly places?: CleanerPlaces | undefined
}

/**
 * Rounds of cleaning at a time, of all logs of the process that are opened one
 * by one: each has a cleaner of its own, and each round a thread and a map.
 */
export class CleanerPlaces {
  #taken = 0

  /** Runs `work` if fewer than `most` are at it; else does nothing. */
  async within(most: number, work: () => Promise<void>): Promise<void> {
    if (this.#taken >= most) return
    this.#taken++
    try {
      await work()
    } finally {
      this.#taken--
    }
  }
}

export class Cleaning {
  readonly #cleaner: Cleaner
  readonly #backoffMs: number
  readonly #tasks: readonly ScheduledTask[]
  /** Numbers for what is asked for beside the loops. */
  #nextId: number

  constructor({ clock, logger, settings, openCleanerThread, scheduler, logs, places }: CleaningOptions) {
    const { cleanerEnable, cleanerThreads } = settings
    const inPlace = places ?? new CleanerPlaces()
    // One log needs no second loop.
    const loops = places === undefined ? cleanerThreads : 1
    // Kafka pauses for 0 ms where that is the setting, and looks again.
    this.#backoffMs = Math.max(1, settings.cleanerBackoffMs)
    this.#cleaner = new Cleaner({
      clock,
      logger,
      logs,
      settings: cleanSettings(settings),
      backoffMs: this.#backoffMs,
      openThread: openCleanerThread,
    })
    const times = { firstDelayMs: this.#backoffMs, intervalMs: this.#backoffMs }
    this.#tasks = Array.from({ length: cleanerEnable ? loops : 0 }, (_, id) =>
      scheduler.every(`log-cleaner-${id}`, times, () =>
        inPlace.within(cleanerThreads, async () => {
          await this.#cleaner.work(id)
        }),
      ),
    )
    this.#nextId = cleanerThreads
  }

  /** When a loop looks for work, and makes the retention checks of logs that compact. */
  get checks(): CheckSchedule {
    if (this.#tasks.length === 0) return { kind: 'never', because: 'cleaner off' }
    const times = this.#tasks.flatMap(({ nextRunMs }) => nextRunMs ?? [])
    const nextMs = times.length < this.#tasks.length ? null : Math.min(...times)
    return { kind: 'scheduled', nextMs, intervalMs: this.#backoffMs }
  }

  /** All that is due, now. */
  run(): Promise<CleanerRound> {
    return this.#cleaner.work(this.#nextId++)
  }

  cleanNow(log: PartitionLog, onProgress: CleanProgressListener | undefined): Promise<CleaningReport | null> {
    return this.#cleaner.cleanNow(
      log,
      this.#nextId++,
      onProgress && ((_, done, total) => onProgress(done, total)),
    )
  }

  /** Resolves when nothing is being cleaned any more. */
  close(): Promise<void> {
    return this.#cleaner.close()
  }
}

function cleanSettings(settings: ManagerConfig): CleanSettings {
  const { cleanerDedupeBufferSize, cleanerThreads, cleanerIoBufferSize } = settings
  return {
    mapBytes: Math.min(Math.floor(cleanerDedupeBufferSize / cleanerThreads), INT32_MAX),
    loadFactor: settings.cleanerIoBufferLoadFactor,
    hash: settings.cleanerHash,
    // As in Kafka: half of each thread's part to read into, half to write from.
    ioBufferBytes: Math.max(LEAST_IO_BUFFER_BYTES, Math.floor(cleanerIoBufferSize / cleanerThreads / 2)),
    maxBatchBytes: 256 * MIB,
    maxDecompressedBytes: DEFAULT_BATCH_LIMITS.maxDecompressedBytes,
  }
}

/** Threads of workers, all held to the same `log.cleaner.io.max.bytes.per.second`. */
export function cleanerThreads(
  machine: Machine,
  backend: Backend,
  { cleanerIoMaxBytesPerSecond: bytesPerSecond }: ManagerConfig,
): () => CleanerThread {
  if (machine.openCleanerThread !== undefined) return machine.openCleanerThread
  const throttle = new IoThrottle(bytesPerSecond, () => 0n).memory
  return () => new WorkerCleaner({ backend: backend.name, bytesPerSecond, throttle })
}
