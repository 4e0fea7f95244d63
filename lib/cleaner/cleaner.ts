/**
 * Cleans compacted logs behind their users' backs: `log.cleaner.threads`
 * loops, each taking the filthiest log that is due, until there is none; then
 * they rest for `log.cleaner.backoff.ms`. Follows Kafka's LogCleaner.
 *
 * Retention of compacted logs is made here too, between two cleanings. A log
 * whose cleaning fails is set aside with its reason, and tried again later and
 * later. Threads and their maps exist only while there is something to clean.
 */

import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/logger.js'
import type { CleanablePlan } from '../log/cleaning/cleanable.js'
import { cleanablePlan, isCompacted, loadFacts } from '../log/cleaning/cleanable-log.js'
import type { CleaningReport } from '../log/cleaning/log-cleaning.js'
import type { LogCore } from '../log/log-core.js'
import { asLogError } from '../log/log-error.js'
import { PartitionLog } from '../log/partition-log.js'
import type { RetentionResult } from '../log/retention.js'
import { filthiest } from './choose.js'
import { CleaningAborted } from './clean-control.js'
import type { CleanSettings } from './clean-job.js'
import { cleanOne } from './clean-one.js'
import type { CleanerThread } from './cleaner-thread.js'
import { noteReset, setAside } from './set-aside.js'

export interface CleanerOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: CleanSettings
  readonly backoffMs: number
  /** Every log that is open, compacted or not. */
  readonly logs: () => Iterable<PartitionLog>
  readonly openThread: () => CleanerThread
}

/** What a round did, by log name. */
export interface CleanerRound {
  readonly cleaned: ReadonlyMap<string, CleaningReport>
  readonly retained: ReadonlyMap<string, RetentionResult>
  /** Logs that were set aside, or that retention failed on, with why. */
  readonly failures: readonly { readonly log: string; readonly error: Error }[]
}

interface Round {
  readonly cleaned: Map<string, CleaningReport>
  readonly retained: Map<string, RetentionResult>
  readonly failures: { log: string; error: Error }[]
  readonly onProgress?: ((log: string, done: number, total: number) => void) | undefined
}

export class Cleaner {
  readonly #options: CleanerOptions
  /** By number of the loop; the one that is asked for comes last. */
  readonly #threads = new Map<number, CleanerThread>()
  #isClosed = false
  #working = new Set<Promise<unknown>>()

  constructor(options: CleanerOptions) {
    this.#options = options
  }

  /** Cleans all that is due, as loop `id`, and makes one retention check of every compacted log. Failures are told, and in what this gives. */
  work(id: number, onProgress?: Round['onProgress']): Promise<CleanerRound> {
    return this.#during(async () => {
      const round: Round = { cleaned: new Map(), retained: new Map(), failures: [], onProgress }
      try {
        while (!this.#isClosed && (await this.#cleanNext(id, round))) await this.#retain(round)
        await this.#retain(round)
      } finally {
        await this.#endThread(id)
      }
      return round
    })
  }

  /** One cleaning of `log` now, however dirty it is; null where there is nothing that could be cleaned, or it is being cleaned. */
  cleanNow(log: PartitionLog, id: number, onProgress?: Round['onProgress']): Promise<CleaningReport | null> {
    const core = PartitionLog.coreOf(log)
    return this.#during(async () => {
      core.assertWritable()
      await loadFacts(core)
      // A close has told those that ran by then to stop, and waits for this one.
      if (this.#isClosed) throw new CleaningAborted()
      core.assertWritable()
      if (this.#isClosed) throw new CleaningAborted()
      const plan = cleanablePlan(core, this.#options.clock.nowMs())
      if (!isCompacted(core) || plan.cleanableBytes === 0 || core.cleaning.running !== undefined) return null
      try {
        return await this.#clean(core, plan, id, onProgress)
      } finally {
        await this.#endThread(id)
      }
    })
  }

  /** Ends what is being cleaned, and the threads; resolves when nothing runs any more. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const log of this.#options.logs()) PartitionLog.coreOf(log).cleaning.abort()
    await Promise.allSettled(this.#working)
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    const working = work()
    this.#working.add(working)
    try {
      return await working
    } finally {
      this.#working.delete(working)
    }
  }

  /** False where there was nothing to clean. */
  async #cleanNext(id: number, round: Round): Promise<boolean> {
    const nowMs = this.#options.clock.nowMs()
    const candidates: { log: LogCore; plan: CleanablePlan }[] = []
    for (const log of [...this.#options.logs()]) {
      const plan = await this.#look(log, nowMs, round)
      if (plan !== undefined) candidates.push({ log: PartitionLog.coreOf(log), plan })
    }
    const chosen = filthiest(candidates.filter(({ log }) => mayBegin(log, nowMs)))
    if (this.#isClosed || chosen === undefined) return false
    await this.#cleanChosen(chosen.log, id, round)
    return true
  }

  /** How much of it could be cleaned; undefined where it is not to be cleaned now. */
  async #look(log: PartitionLog, nowMs: number, round: Round): Promise<CleanablePlan | undefined> {
    const core = PartitionLog.coreOf(log)
    try {
      if (!mayBegin(core, nowMs)) return undefined
      await loadFacts(core)
      await this.#turn()
      if (!mayBegin(core, nowMs)) return undefined
      const plan = cleanablePlan(core, nowMs)
      if (plan.reset !== undefined) await noteReset(core, plan)
      return plan
    } catch (error) {
      this.#failed(core, error, round)
      return undefined
    }
  }

  async #cleanChosen(core: LogCore, id: number, round: Round): Promise<void> {
    try {
      // As it is now: looking at the other logs took a while.
      const plan = cleanablePlan(core, this.#options.clock.nowMs())
      round.cleaned.set(core.env.name, await this.#clean(core, plan, id, round.onProgress))
    } catch (error) {
      this.#failed(core, error, round)
    }
  }

  async #clean(
    core: LogCore,
    plan: CleanablePlan,
    id: number,
    onProgress: Round['onProgress'],
  ): Promise<CleaningReport> {
    const { settings, openThread, clock } = this.#options
    const thread = this.#threads.get(id) ?? openThread()
    this.#threads.set(id, thread)
    return cleanOne(core, plan, {
      thread,
      settings,
      cleaner: `Cleaner ${id}`,
      nowMs: clock.nowMs(),
      onProgress: onProgress && ((done, total) => onProgress(core.env.name, done, total)),
    })
  }

  /** What retention would do to logs without `compact`, for those with it. */
  async #retain({ retained, failures }: Round): Promise<void> {
    for (const log of [...this.#options.logs()]) {
      const core = PartitionLog.coreOf(log)
      if (this.#isClosed || !isCompacted(core) || !isQuiet(core)) continue
      try {
        const result = await log.runRetention()
        if (result.deletions.length > 0) retained.set(log.name, result)
      } catch (error) {
        const failure = asLogError(error)
        if (failure.code === 'ERR_CLOSED') continue
        failures.push({ log: log.name, error: failure })
        this.#options.logger.error({ log: log.name, error }, `${log.name}: ${failure.message}`)
      }
      await this.#turn()
    }
  }

  #failed(core: LogCore, error: unknown, round: Round): void {
    const failure = asLogError(error)
    // Closed, deleted or cut meanwhile: nothing is wrong with it.
    if (failure.code === 'ERR_CLOSED' || core.condition === 'closed') return
    round.failures.push({ log: core.env.name, error: failure })
    // Offline it tells itself, and is not tried again.
    if (core.condition === 'open') setAside(core, failure, this.#options.backoffMs)
  }

  async #endThread(id: number): Promise<void> {
    const thread = this.#threads.get(id)
    this.#threads.delete(id)
    await thread?.close()
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#options.clock.soon(resolve))
  }
}

/** Nothing is happening to it that a cleaning, or retention, would have to wait for. */
function isQuiet(core: LogCore): boolean {
  const { condition, isClosing, isMovingOffsets, cleaning } = core
  return condition === 'open' && !isClosing && !isMovingOffsets && cleaning.running === undefined
}

function mayBegin(core: LogCore, nowMs: number): boolean {
  const { setAside } = core.cleaning
  return isCompacted(core) && isQuiet(core) && (setAside === undefined || setAside.retryMs <= nowMs)
}
