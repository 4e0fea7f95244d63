/**
 * All logs of one or more log directories, as users hold them: every public
 * method, and nothing else. Each does its work through a file of its own.
 */

import { differingSettings, type LogConfigInput, resolveLogConfig } from '../config/log-config.js'
import { ClosedError, ConfigError } from '../errors.js'
import type { CleaningReport } from '../log/cleaning/log-cleaning.js'
import type { ExplainOptions } from '../log/explain.js'
import { PartitionLog } from '../log/partition-log.js'
import type { RetentionResult } from '../log/retention.js'
import { explainLogs, type ManagerExplanation } from './explain.js'
import type { HostedDirectory } from './hosted-directory.js'
import type { Housekeeping } from './housekeeping.js'
import type { LogProblem } from './load-logs.js'
import { type ManagerStats, managerStats } from './manager-stats.js'
import {
  byTopicAndPartition,
  checkTopicPartition,
  partitionName,
  type TopicPartition,
} from './partition-name.js'

/** @internal What `openLogManager` has put together. */
export interface ManagerParts {
  /** By their order in `logDirs`, those that could not be opened left out. */
  readonly directories: readonly HostedDirectory[]
  readonly problems: readonly LogProblem[]
  readonly housekeeping: Housekeeping
}

export class LogManager implements AsyncDisposable {
  readonly #directories: readonly HostedDirectory[]
  readonly #housekeeping: Housekeeping
  /** The last of what was asked of a log by its name. */
  readonly #turns = new Map<string, Promise<unknown>>()
  #closing: Promise<void> | undefined
  /** Logs and directories that were found and are not open, with the reason of each. As it was when the manager opened. */
  readonly problems: readonly LogProblem[]

  /** @internal Managers are opened by `openLogManager`. */
  constructor({ directories, problems, housekeeping }: ManagerParts) {
    this.#directories = directories
    this.#housekeeping = housekeeping
    this.problems = problems
  }

  /** The log, or undefined where none is open by that name. */
  getLog(topicPartition: TopicPartition): PartitionLog | undefined {
    const name = partitionName(checkTopicPartition(topicPartition))
    return this.#holderOf(name)?.logs.get(name)
  }

  /** Every open log, by topic and partition; also those that are offline. */
  logs(): PartitionLog[] {
    const logs = this.#directories.flatMap((directory) => [...directory.logs.values()])
    return logs.sort((a, b) => byTopicAndPartition(a.name, b.name))
  }

  /**
   * The log, made where it is not there, in the directory with the fewest
   * logs; its files and their names are durable on return. `config` goes over
   * the manager's; for a log that is there it must not contradict the stored
   * settings (`ERR_CONFIG_MISMATCH`). A log that stands in `problems` is not
   * made anew: its error is thrown. While a directory is offline none is made,
   * since the log may lie there (`ERR_OFFLINE`). One that went offline and was
   * closed is recovered.
   */
  async createLog(topicPartition: TopicPartition, config: LogConfigInput = {}): Promise<PartitionLog> {
    const name = partitionName(checkTopicPartition(topicPartition))
    resolveLogConfig(config)
    this.#assertOpen()
    return this.#inTurn(name, async () => {
      const log = (await this.#openLog(name)) ?? (await this.#create(name, config))
      return withSettings(log, config)
    })
  }

  /**
   * Takes the log out: it is closed, cannot be opened again on return, and its
   * files are removed after its `file.delete.delay.ms`, or at the next start.
   * False where there was none, or one that stands in `problems`, which stays.
   */
  async deleteLog(topicPartition: TopicPartition): Promise<boolean> {
    const checked = checkTopicPartition(topicPartition)
    const name = partitionName(checked)
    this.#assertOpen()
    return this.#inTurn(name, async () => {
      const holder = this.#holderOf(name) ?? (await this.#reopened(name))
      await holder?.delete(checked, name)
      return holder !== undefined
    })
  }

  /** What all logs have done since the manager was opened, and what is there now. */
  stats(): ManagerStats {
    return managerStats(this.#directories, this.problems)
  }

  /**
   * One retention check of every log whose policy has no `compact`, now. What
   * was taken, by log name. Throws the first failure once all was tried.
   */
  async runRetention(): Promise<ReadonlyMap<string, RetentionResult>> {
    this.#assertOpen()
    const { results, failures } = await this.#housekeeping.runRetention()
    if (failures.length > 0) throw failures[0]
    return results
  }

  /**
   * What the cleaner does, now: cleans every log that is due, the filthiest first, and makes one retention check of every
   * log whose policy has `compact`. What was cleaned, by log name. Throws the first failure once all was tried; the log is
   * set aside then (see `PartitionLog.explain`).
   */
  async runCleaner(): Promise<ReadonlyMap<string, CleaningReport>> {
    this.#assertOpen()
    const { cleaned, failures } = await this.#housekeeping.cleaning.run()
    const [first] = failures
    if (first !== undefined) throw first.error
    return cleaned
  }

  /** Why nothing has rolled or been deleted yet in any log, and when it will; see `PartitionLog.explain`. */
  explain(options: ExplainOptions = {}): ManagerExplanation {
    this.#assertOpen()
    return explainLogs(this.logs(), this.problems, options)
  }

  /** Writes the checkpoints of recovery points, log start offsets and high watermarks; durable on return. */
  async checkpoint(): Promise<void> {
    this.#assertOpen()
    await this.#housekeeping.checkpoint('recoveryPoint', 'logStartOffset', 'highWatermark')
  }

  /**
   * Ends the background work, closes every log, and leaves the marker of a
   * clean shutdown in each directory all of whose logs were open and could be
   * closed. Idempotent. Throws the first failure once everything was tried.
   * `ERR_DISK_FULL` leaves open what could not be closed, and its directory
   * held, without background work: free space and close again.
   */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#close()
      for (const directory of this.#directories) directory.share.ends(this.#closing)
    }
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #close(): Promise<void> {
    await this.#housekeeping.close()
    await Promise.allSettled(this.#turns.values())
    const open = () => this.#directories.filter(({ isReleased }) => !isReleased)
    const results = await Promise.allSettled(open().map((directory) => directory.close()))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) return
    if (open().length > 0) this.#closing = undefined
    throw failed.reason
  }

  /** What is asked of one log by its name is done in the order of the calls; a close waits for all of it. */
  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name)
    const turn = (async () => {
      await before?.catch(() => undefined)
      return work()
    })()
    this.#turns.set(name, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name)
    }
  }

  /** The open log by that name. One that its user is closing is waited for. */
  async #openLog(name: string): Promise<PartitionLog | undefined> {
    const log = this.#holderOf(name)?.logs.get(name)
    if (log !== undefined) await PartitionLog.closingOf(log)?.catch(() => undefined)
    return log?.state === 'closed' ? undefined : log
  }

  async #create(name: string, config: LogConfigInput): Promise<PartitionLog> {
    const problem = this.problems.find(({ log }) => log === undefined || log === name)
    if (problem !== undefined) throw problem.error
    for (const directory of this.#directories) directory.assertOnline()
    // One that its user closed lies where it lay.
    for (const directory of this.#directories) {
      if (await directory.holds(name)) return directory.create(name, config)
    }
    const [fewest] = [...this.#directories].sort((a, b) => a.logCount - b.logCount)
    return (fewest as HostedDirectory).create(name, config)
  }

  /** The directory of a log that its user closed; it is open again. */
  async #reopened(name: string): Promise<HostedDirectory | undefined> {
    if (this.problems.some(({ log }) => log === name)) return undefined
    for (const directory of this.#directories) {
      if (!(await directory.holds(name))) continue
      await directory.load(name)
      return directory
    }
    return undefined
  }

  #holderOf(name: string): HostedDirectory | undefined {
    return this.#directories.find(({ logs }) => logs.has(name))
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) {
      throw new ClosedError('ERR_CLOSED', 'the log manager is closed; open it again to use it')
    }
  }
}

/** `log` if it has the settings that are asked for. */
function withSettings(log: PartitionLog, asked: LogConfigInput): PartitionLog {
  const differing = differingSettings(resolveLogConfig(asked, log.config), log.config)
  if (differing.length === 0) return log
  throw new ConfigError(
    'ERR_CONFIG_MISMATCH',
    `${log.name} has other values of ${differing.join(', ')}; ask for it without them, or change them with updateConfig`,
    { path: log.path, actual: differing },
  )
}
