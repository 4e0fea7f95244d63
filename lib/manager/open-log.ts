/**
 * `openLog`: one log of a log directory, opened or created on its own.
 *
 * Order matters: the directory's lock, then its marker, then the log's
 * settings, then its segments. Whatever fails gives everything back.
 */

import { basename, dirname, resolve } from 'node:path'
import { loadCodec } from '../backend/codecs/load.js'
import type { Backend, Files } from '../backend/contract.js'
import { nodeFiles } from '../backend/files.js'
import { loadBackend } from '../backend/load.js'
import { type Clock, systemClock } from '../base/clock.js'
import { type Entropy, systemEntropy } from '../base/entropy.js'
import type { LogConfig } from '../config/settings.js'
import { PartitionLogError } from '../errors.js'
import { DEFAULT_BATCH_LIMITS } from '../format/batch.js'
import { readLeaderEpochs } from '../log/epoch-file.js'
import { type CheckpointedOffsets, loadLog } from '../log/load.js'
import { LogCore, type LogEnvironment } from '../log/log-core.js'
import { type LogHost, PartitionLog, type ReadOnlyPartitionLog } from '../log/partition-log.js'
import { DEFAULT_OPEN_SEGMENTS, OpenSegments } from '../segment/open-segments.js'
import { hasSegments } from './has-segments.js'
import { closeLanes, type Lanes, openLanes } from './lanes.js'
import { readCheckpoints } from './log-directory.js'
import { createLogFiles, readSettings } from './log-files.js'
import { checkOpenOptions, type OpenLogOptions } from './open-options.js'
import { parsePartitionName } from './partition-name.js'
import { type DirectoryShare, shareDirectory } from './shared-directories.js'

/** What tests put in the place of the machine. @internal */
export interface Machine {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly files: Files
  readonly backend?: Backend
  readonly openSegments?: OpenSegments
}

/** One bound for all logs of the process. */
const openSegments = new OpenSegments(DEFAULT_OPEN_SEGMENTS, (error) => process.emitWarning(String(error)))

const MACHINE: Machine = { clock: systemClock, entropy: systemEntropy, files: nodeFiles }

/** Name of a standalone log in its own checkpoints. */
const STANDALONE_NAME = 'log-0'

/**
 * Opens the log in `path`, a directory named `topic-partition`, and creates it
 * where it is not there. Takes the lock of the directory above, which logs
 * opened by this process share.
 *
 * Throws `ERR_NOT_A_LOG`, `ERR_LOCKED`, `ERR_UNCLEAN` (not closed cleanly),
 * `ERR_CORRUPT`, `ERR_CONFIG_INVALID`, `ERR_CONFIG_MISMATCH`, `ERR_IO`; nothing
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
  const target = { machine, directory, name: nameOf(directory, options), backend, options }
  return options.readOnly === true ? openReadOnly(target) : openWritable(target)
}

interface Target {
  readonly machine: Machine
  readonly directory: string
  readonly name: string
  readonly backend: Backend
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
  const share = await shareDirectory(aboveOf(target), name, backend, files)
  try {
    const isThere = await hasSegments(files, directory)
    if (!isThere && options.create === false) throw notThere(directory)
    const config = isThere
      ? await readSettings(files, directory, options.config)
      : await createLogFiles(share, directory, machine, options.config)
    const checkpoints = await share.directory.checkpointed(name)
    const log = await build(target, share.directory, config, checkpoints, sharedHost(share, name))
    share.directory.used()
    return log
  } catch (error) {
    // No record was written, and what was made is in order: the directory is as clean as it was.
    await share.release(true)
    throw error
  }
}

async function openReadOnly(target: Target): Promise<PartitionLog> {
  const { machine, directory, name, backend, options } = target
  const { files } = machine
  if (!(await hasSegments(files, directory))) throw notThere(directory)
  const lanes = openLanes(backend)
  try {
    const config = await readSettings(files, directory, options.config)
    const checkpoints = await readCheckpoints(files, aboveOf(target), name)
    const host: LogHost = { checkpoint: () => Promise.resolve(), closed: () => closeLanes(lanes) }
    return await build(target, lanes, config, checkpoints, host)
  } catch (error) {
    await closeLanes(lanes)
    throw error
  }
}

async function build(
  target: Target,
  lanes: Lanes,
  config: LogConfig,
  checkpoints: CheckpointedOffsets,
  host: LogHost,
): Promise<PartitionLog> {
  const { compressionType } = config
  if (compressionType !== 'producer' && compressionType !== 'uncompressed') await loadCodec(compressionType)
  let log: PartitionLog | undefined
  const env = environment(target, lanes, (error) => target.options.onOffline?.(error, { log }))
  const epochs = await readLeaderEpochs(env.files, env.directory)
  const core = new LogCore(env, config, await loadLog(env, config, checkpoints))
  core.epochs = epochs
  log = new PartitionLog(core, host)
  return log
}

function environment(
  { machine, directory, name, backend, options }: Target,
  { flushLane, readLane }: Lanes,
  onOffline: LogEnvironment['onOffline'],
): LogEnvironment {
  const { maxDecompressedBytes = DEFAULT_BATCH_LIMITS.maxDecompressedBytes } = options
  return {
    name,
    directory,
    backend,
    flushLane,
    readLane,
    files: machine.files,
    clock: machine.clock,
    entropy: machine.entropy,
    limits: { maxDecompressedBytes },
    loadCodec,
    openSegments: machine.openSegments ?? openSegments,
    highWatermark: options.highWatermark ?? 'auto',
    readOnly: options.readOnly === true,
    onOffline,
  }
}

function sharedHost(share: DirectoryShare, name: string): LogHost {
  return {
    checkpoint({ recoveryPoint, logStartOffset, highWatermark }, firstBaseOffset) {
      return share.directory.checkpoint(name, {
        recoveryPoint,
        // A start that the segments show themselves is left out, as a broker does.
        logStartOffset: logStartOffset === firstBaseOffset ? undefined : logStartOffset,
        highWatermark,
      })
    },
    closed: (clean) => share.release(clean),
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
