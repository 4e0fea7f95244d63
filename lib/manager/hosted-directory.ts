/**
 * One log directory in a manager's hands: the logs that are open in it, and
 * making, opening, deleting and closing them. Whether it may be called clean
 * at the end is known here alone: only if every log found in it was loaded and
 * closed, and nothing failed.
 */

import { join } from 'node:path'
import type { StoredSettings } from '../checkpoint/log-properties.js'
import type { LogConfigInput } from '../config/log-config.js'
import { ClosedError, type PartitionLogError } from '../errors.js'
import { asLogError } from '../log/log-error.js'
import { PartitionLog } from '../log/partition-log.js'
import { LogCounters } from '../log/stats-counters.js'
import { buildLog, hostIn } from './build-log.js'
import { classify, type DirectoryListing } from './directory-listing.js'
import { DirectoryRecovery } from './directory-recovery.js'
import { hasSegments } from './has-segments.js'
import type { HostedDirectoryOptions } from './hosted-directory-options.js'
import type { LogDirectory } from './log-directory.js'
import { createLogFiles, storedOr } from './log-files.js'
import { assertOwnPlace } from './own-place.js'
import { deletedName, type TopicPartition } from './partition-name.js'
import { Removals } from './removals.js'
import { Room } from './room.js'
import { setAside } from './set-aside.js'
import { type DirectoryShare, takeDirectory } from './shared-directories.js'

export class HostedDirectory {
  readonly path: string
  /** What lay in it when it was opened. */
  readonly found: DirectoryListing
  /** Open logs by name. */
  readonly logs = new Map<string, PartitionLog>()
  readonly room: Room
  /** What logs did here that are open no more. */
  readonly past = new LogCounters()
  /** Bytes of records of deleted logs whose files are not removed yet. */
  deletedLogsBytes = 0
  readonly share: DirectoryShare
  readonly #options: HostedDirectoryOptions
  readonly #removals: Removals
  readonly #recovery: DirectoryRecovery
  #making = 0
  #isReleased = false
  #offlineCause: PartitionLogError | undefined

  private constructor(
    path: string,
    found: DirectoryListing,
    share: DirectoryShare,
    room: Room,
    options: HostedDirectoryOptions,
  ) {
    this.path = path
    this.found = found
    this.room = room
    this.share = share
    this.#options = options
    this.#recovery = new DirectoryRecovery(share, found, {
      backend: options.around.backend,
      threads: options.recoveryThreads,
      wishes: options.recovery,
    })
    this.#removals = new Removals(options.around.machine, options.around.logger)
  }

  /** Takes the directory's lock and its marker; `ERR_LOCKED`, `ERR_IO`. Opens no log. */
  static async open(path: string, options: HostedDirectoryOptions): Promise<HostedDirectory> {
    const { limits, around } = options
    const { backend, logger, machine } = around
    const { clock, files } = machine
    const share = await takeDirectory(path, backend, files)
    try {
      const { usage } = share.directory
      const found = classify(await files.list(path))
      const room = await Room.open({ path, usage, limits, files, clock, logger })
      return new HostedDirectory(path, found, share, room, options)
    } catch (error) {
      await share.release('unopened')
      throw error
    }
  }

  get directory(): LogDirectory {
    return this.share.directory
  }

  get offlineCause(): PartitionLogError | undefined {
    return this.#offlineCause
  }

  /** Its lock was given back. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** Logs that are open, or on their way. */
  get logCount(): number {
    return this.logs.size + this.#making
  }

  /** A log that was found could not be opened: its files may not be as they were. */
  leftOut(name: string): void {
    this.#recovery.failed(name)
  }

  /** Removes what earlier deletions left, in the background. */
  finishDeletions(names: readonly string[]): void {
    for (const name of names) this.#removals.after(0, join(this.path, name))
  }

  /** Whether a log by that name lies here, open or not. */
  holds(name: string): Promise<boolean> {
    return this.directory.files.exists(join(this.path, name))
  }

  /** Opens a log that is there. */
  async load(name: string): Promise<PartitionLog> {
    const { defaults } = this.#options
    const settings = await storedOr(this.directory.files, join(this.path, name), defaults)
    return this.#build(name, settings, defaults)
  }

  /** All logs that were found are opened, or will not be. */
  loadingEnded(): Promise<void> {
    return this.#recovery.close()
  }

  /** Opens the log, and makes it first where it is not there. One that failed and was closed is recovered. */
  async create(name: string, input: LogConfigInput): Promise<PartitionLog> {
    this.assertOnline()
    this.#making++
    try {
      return await this.#create(name, input)
    } finally {
      this.#making--
    }
  }

  async #create(name: string, input: LogConfigInput): Promise<PartitionLog> {
    const path = join(this.path, name)
    if (await hasSegments(this.directory.files, path)) return this.load(name)
    const given = { ...this.#options.defaults, ...input }
    const settings = await createLogFiles(this.directory, path, this.#options.around.machine, given)
    const log = await this.#build(name, settings, given)
    this.#options.around.logger.info({ log: name }, `Created log for partition ${name} in ${path}`)
    return log
  }

  /**
   * The log cannot be found any more on return, on disk either; its files go
   * after its `file.delete.delay.ms`, or at the next start.
   */
  async delete(topicPartition: TopicPartition, name: string): Promise<void> {
    this.assertOnline()
    const log = this.logs.get(name)
    if (log === undefined) return
    this.logs.delete(name)
    const removed = await this.#discard(log)
    const unique = this.#options.around.machine.entropy.bytes(16).toString('hex')
    const newName = deletedName(topicPartition, unique)
    try {
      const path = await setAside(this.directory, this.#options.around.logger, name, newName)
      if (path === undefined) removed()
      else this.#removals.after(log.config.fileDeleteDelayMs, path, removed)
      this.#recovery.done(name)
      await this.#forget(name)
    } catch (error) {
      this.goOffline(asLogError(error))
      throw error
    }
  }

  /** All that is here is offline from now on; told once. */
  goOffline(cause: PartitionLogError): void {
    if (this.#offlineCause !== undefined) return
    this.#offlineCause = cause
    this.#options.around.logger.error(
      { logDir: this.path, error: cause },
      `${this.path} is offline: ${cause.message}`,
    )
    for (const log of this.logs.values()) PartitionLog.coreOf(log).goOffline(cause)
    try {
      this.#options.onOffline(cause, this)
    } catch (error) {
      // As with a log: the host's own fault changes nothing for those who wait.
      process.emitWarning(`onOffline of ${this.path} threw: ${error}`)
    }
  }

  /** Neither offline nor given back. */
  assertOnline(): void {
    if (this.#isReleased) throw new ClosedError('ERR_CLOSED', `${this.path} is closed`, { path: this.path })
    if (this.#offlineCause === undefined) return
    const { message } = this.#offlineCause
    throw new ClosedError(
      'ERR_OFFLINE',
      `${this.path} is offline: ${message}`,
      { path: this.path },
      this.#offlineCause,
    )
  }

  /**
   * Closes every log, then the directory: clean only if all of it is. Throws
   * the first failure, when all was tried. Logs that a full disk kept from
   * being closed stay open, and the directory held, for another close.
   */
  async close(): Promise<void> {
    if (this.#isReleased) return
    const results = await Promise.allSettled([...this.logs.values()].map((log) => log.close()))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined || this.logs.size === 0) await this.#release(failed === undefined)
    if (failed !== undefined) throw failed.reason
  }

  /** Gives all back after an opening that failed: what cannot be closed is let go of as it is. */
  async abandon(): Promise<void> {
    await this.close().catch(() => undefined)
    if (this.#isReleased) return
    for (const log of this.logs.values()) await PartitionLog.discard(log)
    await this.#release(false)
  }

  async #release(clean: boolean): Promise<void> {
    await this.#removals.close()
    this.#isReleased = true
    this.room.close()
    await this.#recovery.close()
    const isClean = clean && this.#offlineCause === undefined
    await this.share.release(isClean && this.#recovery.isClean)
  }

  async #build(name: string, settings: StoredSettings, given: LogConfigInput): Promise<PartitionLog> {
    const { directory } = this
    const { files } = this.#options.around.machine
    await assertOwnPlace(files, join(this.path, name))
    const log = await buildLog(this.#options.around, {
      name,
      directory: join(this.path, name),
      settings,
      given,
      checkpoints: await directory.checkpointed(name),
      lanes: directory,
      room: this.room,
      host: {
        ...hostIn(directory, name, (clean) => this.#closed(name, log, clean)),
        retentionChecks: this.#options.retentionChecks,
        cleanerChecks: this.#options.cleanerChecks,
        clean: (onProgress) => this.#options.clean(name, onProgress),
      },
      recovery: this.#recovery.optionsFor(name),
    })
    this.#recovery.done(name)
    directory.used()
    this.logs.set(name, log)
    // It went offline while the log was being opened.
    if (this.#offlineCause !== undefined) PartitionLog.coreOf(log).goOffline(this.#offlineCause)
    this.assertOnline()
    return log
  }

  /** Lets go of a log that is being deleted; its records count until what this gives is called. */
  async #discard(log: PartitionLog): Promise<() => void> {
    const core = PartitionLog.coreOf(log)
    const { sizeInBytes } = core.space
    this.room.found(sizeInBytes)
    this.deletedLogsBytes += sizeInBytes
    await PartitionLog.discard(log)
    this.past.add(core.counters)
    return () => {
      this.deletedLogsBytes -= sizeInBytes
      this.room.gaveBack(sizeInBytes)
    }
  }

  /** On a full disk the lines stay: who makes a log of that name takes them out. */
  async #forget(name: string): Promise<void> {
    try {
      await this.directory.forget(name)
    } catch (error) {
      const { code, message } = asLogError(error)
      if (code !== 'ERR_DISK_FULL') throw error
      this.#options.around.logger.warn(
        { log: name, error },
        `${name} stays in the checkpoints for now: ${message}`,
      )
    }
  }

  async #closed(name: string, log: PartitionLog, clean: boolean): Promise<void> {
    // One that was deleted is closed once more by whoever held it.
    if (this.logs.get(name) !== log) return
    this.logs.delete(name)
    this.past.add(PartitionLog.coreOf(log).counters)
    if (!clean) this.#recovery.failed(name)
  }
}
