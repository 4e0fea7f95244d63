/**
 * `openLog`: one log of a log directory, opened or created on its own.
 *
 * Order matters: the directory's lock, then its marker, then the log's
 * settings, then its segments. Whatever fails gives everything back.
 */

import { basename, dirname, resolve } from 'node:path'
import type { Backend } from '../backend/contract.js'
import { loadBackend } from '../backend/load.js'
import { forgiving, type Logger, silentLogger } from '../base/logger.js'
import { resolveManagerConfig } from '../config/manager-config.js'
import type { ManagerConfig } from '../config/manager-settings.js'
import { PartitionLogError } from '../errors.js'
import type { LogHost } from '../log/log-host.js'
import { UNLIMITED_ROOM } from '../log/log-space.js'
import { PartitionLog } from '../log/partition-log.js'
import type { ReadOnlyPartitionLog } from '../log/read-only-log.js'
import { buildLog, hostIn, type LogSurroundings, recoveryOptions } from './build-log.js'
import { CleanerPlaces, cleanerThreads } from './cleaning.js'
import { hasSegments } from './has-segments.js'
import { Housekeeping } from './housekeeping.js'
import { closeLanes, openLanes } from './lanes.js'
import { checkpointReader, STANDALONE_NAME } from './log-directory.js'
import { createLogFiles, readSettings } from './log-files.js'
import { MACHINE, type Machine } from './machine.js'
import { checkOpenOptions, type OpenLogOptions } from './open-options.js'
import { assertOwnPlace } from './own-place.js'
import { parsePartitionName } from './partition-name.js'
import { Room } from './room.js'
import { type DirectoryShare, shareDirectory } from './shared-directories.js'

/**
 * Opens the log in `path`, a directory named `topic-partition`, and creates it
 * where it is not there. Takes the lock of the directory above, which logs
 * opened by this process share.
 *
 * A log that was not closed cleanly is recovered first: see `log.recovery`.
 *
 * Throws `ERR_NOT_A_LOG`, `ERR_LOCKED`, `ERR_CORRUPT`, `ERR_CONFIG_INVALID`,
 * `ERR_CONFIG_MISMATCH`, `ERR_IO`, and with `readOnly` `ERR_UNCLEAN`; nothing
 * stays open or locked then.
 */
export function openLog(
  path: string,
  options: OpenLogOptions & { readonly readOnly: true },
): Promise<ReadOnlyPartitionLog>
export function openLog(path: string, options?: OpenLogOptions): Promise<PartitionLog>
export function openLog(path: string, options: OpenLogOptions = {}): Promise<PartitionLog> {
  return openLogOn(MACHINE, path, options)
}

/** `openLog` on a machine of the caller's choice. @internal */
export async function openLogOn(
  machine: Machine,
  path: string,
  options: OpenLogOptions = {},
): Promise<PartitionLog> {
  checkOpenOptions(path, options)
  const directory = resolve(path)
  const backend = machine.backend ?? loadBackend(options.backend).backend
  const logger = forgiving(options.logger ?? silentLogger)
  const target = { machine, directory, name: nameOf(directory, options), backend, logger, options }
  return options.readOnly === true ? openReadOnly(target) : openWritable(target)
}

interface Target {
  readonly machine: Machine
  readonly directory: string
  readonly name: string
  readonly backend: Backend
  readonly logger: Logger
  readonly options: OpenLogOptions
}

function nameOf(directory: string, { standalone }: OpenLogOptions): string {
  if (standalone === true) return STANDALONE_NAME
  const name = basename(directory)
  if (parsePartitionName(name) !== undefined) return name
  throw new PartitionLogError(
    'ERR_NOT_A_LOG',
    `${directory} is not named topic-partition ([a-zA-Z0-9._-], then - and a number); rename it, or open it with standalone: true`,
    { path: directory },
  )
}

/** The log directory: the one above, or the log's own. */
function aboveOf({ directory, options }: Target): string {
  return options.standalone === true ? directory : dirname(directory)
}

async function openWritable(target: Target): Promise<PartitionLog> {
  const { machine, directory, name, backend, options } = target
  const { files } = machine
  // Asked before the lock as well, so that a refusal makes no directory.
  if (options.create === false && !(await hasSegments(files, directory))) throw notThere(directory)
  if (options.standalone !== true) await assertOwnPlace(files, directory)
  const intervals = resolveManagerConfig(options.manager ?? {})
  let housekeeping: Housekeeping | undefined
  const share = await shareDirectory(aboveOf(target), name, backend, files)
  try {
    const isThere = await hasSegments(files, directory)
    if (!isThere && options.create === false) throw notThere(directory)
    const settings = isThere
      ? await readSettings(files, directory, options.config)
      : await createLogFiles(share.directory, directory, machine, options.config)
    const checkpoints = await share.directory.checkpointed(name)
    const room = await roomIn(target, share, intervals)
    const log = await buildLog(surroundings(target, intervals), {
      name,
      directory,
      settings,
      given: options.config ?? {},
      checkpoints,
      lanes: share.directory,
      room,
      host: {
        ...hostIn(share.directory, name, (clean) => {
          room.close()
          return share.release(clean)
        }),
        closing: async () => housekeeping?.close(),
        retentionChecks: (settings) => housekeeping?.retentionChecks(settings),
        cleanerChecks: () => housekeeping?.cleaning.checks,
        clean: async (onProgress) => housekeeping?.cleanNow(name, onProgress) ?? null,
      },
      recovery: recoveryOptions({
        ...options,
        name,
        wasClean: share.wasClean,
        scanLane: share.directory.readLane,
      }),
    })
    share.directory.used()
    housekeeping = keep(target, share, log, intervals)
    return log
  } catch (error) {
    // No record was written, and what was made is in order: the directory is as clean as it was.
    await share.release('unopened')
    throw error
  }
}

async function openReadOnly(target: Target): Promise<PartitionLog> {
  const { machine, directory, name, backend, options } = target
  const limits = resolveManagerConfig(options.manager ?? {})
  const { files } = machine
  if (!(await hasSegments(files, directory))) throw notThere(directory)
  const lanes = openLanes(backend)
  try {
    const settings = await readSettings(files, directory, options.config)
    const readCheckpoints = checkpointReader(files, aboveOf(target), name)
    const checkpoints = await readCheckpoints()
    const host: LogHost = { checkpoint: () => Promise.resolve(), closed: () => closeLanes(lanes) }
    const room = UNLIMITED_ROOM
    const recovery = recoveryOptions({ name, wasClean: false, scanLane: lanes.readLane })
    const log = {
      name,
      directory,
      settings,
      given: options.config ?? {},
      checkpoints,
      lanes,
      room,
      host,
      recovery,
      readCheckpoints,
    }
    return await buildLog(surroundings(target, limits), log)
  } catch (error) {
    await closeLanes(lanes)
    throw error
  }
}

const cleanerPlaces = new CleanerPlaces()

/** The background work of a log that is opened by itself. */
function keep(
  target: Target,
  { directory }: DirectoryShare,
  log: PartitionLog,
  settings: ManagerConfig,
): Housekeeping {
  const { machine, name, logger, backend } = target
  const kept = {
    directory,
    logs: new Map([[name, log]]),
    offlineCause: undefined,
    goOffline: (cause: PartitionLogError) => PartitionLog.coreOf(log).goOffline(cause),
  }
  const openCleanerThread = cleanerThreads(machine, backend, settings)
  const { clock } = machine
  return new Housekeeping({ clock, logger, settings, directories: [kept], openCleanerThread, cleanerPlaces })
}

function roomIn(target: Target, { directory }: DirectoryShare, limits: ManagerConfig): Promise<Room> {
  const { machine, logger } = target
  const { clock, files } = machine
  const { path, usage } = directory
  return Room.open({ path, usage, limits, files, clock, logger })
}

function surroundings(
  { machine, backend, logger, options }: Target,
  producerLimits: ManagerConfig,
): LogSurroundings {
  const { highWatermark = 'auto', readOnly = false, maxDecompressedBytes, onOffline } = options
  return {
    machine,
    backend,
    logger,
    highWatermark,
    readOnly,
    maxDecompressedBytes,
    producerLimits,
    onOffline: (error, log) => onOffline?.(error, { log }),
  }
}

function notThere(directory: string): PartitionLogError {
  return new PartitionLogError(
    'ERR_NOT_A_LOG',
    `${directory} holds no log; open it without create: false and readOnly to make one`,
    {
      path: directory,
    },
  )
}
