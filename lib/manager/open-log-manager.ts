/**
 * `openLogManager`: takes the log directories, opens every log in them, and
 * sets the background work going. Whatever fails gives everything back; what
 * can be left out without harm is left out and told.
 */

import { resolve } from 'node:path'
import { loadBackend } from '../backend/load.js'
import { forgiving, type Logger, silentLogger } from '../base/logger.js'
import { resolveLogConfig } from '../config/log-config.js'
import { resolveManagerConfig } from '../config/manager-config.js'
import type { ManagerConfig } from '../config/manager-settings.js'
import { IoError, type PartitionLogError } from '../errors.js'
import type { LogSurroundings } from './build-log.js'
import { cleanerThreads } from './cleaning.js'
import { HostedDirectory } from './hosted-directory.js'
import type { HostedDirectoryOptions } from './hosted-directory-options.js'
import { Housekeeping } from './housekeeping.js'
import { type LogProblem, loadLogs } from './load-logs.js'
import { LogManager } from './log-manager.js'
import { MACHINE, type Machine } from './machine.js'
import { checkManagerOptions, type LogManagerOptions } from './manager-options.js'

/**
 * Opens every log in `logDirs`. A directory that cannot be read or written is
 * left out, as is a log that is damaged or lies in two directories: see
 * `problems`. What was not closed cleanly is recovered. Throws `ERR_LOCKED`,
 * `ERR_CORRUPT` (a checkpoint), `ERR_CONFIG_INVALID`, the I/O error where no directory can be had, or the
 * signal's reason; nothing stays open or locked then.
 */
export function openLogManager(options: LogManagerOptions): Promise<LogManager> {
  return openLogManagerOn(MACHINE, options)
}

/** `openLogManager` on a machine of the caller's choice. @internal */
export async function openLogManagerOn(machine: Machine, options: LogManagerOptions): Promise<LogManager> {
  checkManagerOptions(options)
  const settings = resolveManagerConfig(options.manager ?? {})
  const { config: defaults = {}, signal } = options
  const logger = forgiving(options.logger ?? silentLogger)
  resolveLogConfig(defaults)
  signal?.throwIfAborted()
  let housekeeping: Housekeeping | undefined
  const hosted: HostedDirectoryOptions = {
    around: surroundings(machine, options, logger, settings),
    defaults,
    retentionChecks: (config) => housekeeping?.retentionChecks(config),
    cleanerChecks: () => housekeeping?.cleaning.checks,
    clean: async (name, onProgress) => housekeeping?.cleanNow(name, onProgress) ?? null,
    limits: settings,
    recovery: recoveryWishes(options),
    recoveryThreads: settings.numRecoveryThreadsPerDataDir,
    onOffline: (error, { path }) => options.onOffline?.(error, { logDir: path }),
  }
  const directories: HostedDirectory[] = []
  const problems: LogProblem[] = []
  try {
    for (const path of options.logDirs) await takeOne(resolve(path), hosted, directories, problems, logger)
    const [first] = problems
    if (directories.length === 0 && first !== undefined) throw first.error
    const { onProgress } = options
    const onForeign = ({ path }: HostedDirectory, names: readonly string[]) =>
      logger.warn(
        { logDir: path, names },
        `${path}: left alone, since no log is named so: ${names.join(', ')}`,
      )
    const { clock } = machine
    const notLoaded = await loadLogs(directories, { onProgress, signal, onForeign, logger, clock })
    for (const { error } of notLoaded) logger.error({ error }, error.message)
    problems.push(...notLoaded)
    const openCleanerThread = cleanerThreads(machine, hosted.around.backend, settings)
    housekeeping = new Housekeeping({ clock, logger, settings, directories, openCleanerThread })
    return new LogManager({ directories, problems, housekeeping })
  } catch (error) {
    await Promise.allSettled(directories.map((directory) => directory.abandon()))
    throw error
  }
}

/** One directory that fails goes without the others; locked, it is the caller's to see to. */
async function takeOne(
  path: string,
  options: HostedDirectoryOptions,
  directories: HostedDirectory[],
  problems: LogProblem[],
  logger: Logger,
): Promise<void> {
  try {
    directories.push(await HostedDirectory.open(path, options))
  } catch (error) {
    if (!(error instanceof IoError)) throw error
    problems.push({ log: undefined, paths: [path], error })
    logger.error({ logDir: path, error }, `${path} is offline: ${error.message}`)
  }
}

function surroundings(
  machine: Machine,
  options: LogManagerOptions,
  logger: Logger,
  producerLimits: ManagerConfig,
): LogSurroundings {
  const { highWatermark = 'auto', maxDecompressedBytes } = options
  return {
    machine,
    backend: machine.backend ?? loadBackend(options.backend).backend,
    logger,
    highWatermark,
    readOnly: false,
    maxDecompressedBytes,
    producerLimits,
    onOffline: (error: PartitionLogError, log) =>
      options.onOffline?.(error, log === undefined ? {} : { log }),
  }
}

function recoveryWishes({ onDamage, quarantine, onProgress, signal }: LogManagerOptions) {
  return {
    ...(onDamage === undefined ? {} : { onDamage }),
    ...(quarantine === undefined ? {} : { quarantine }),
    ...(onProgress === undefined ? {} : { onProgress }),
    signal,
  }
}
