/**
 * `openLog`: one log of a log directory, opened or created on its own.
 *
 * Order matters: the directory's lock, then its marker, then the log's
 * settings, then its segments. Whatever fails gives everything back.
 */

import { basename, dirname, resolve } from 'node:path'
import { loadCodec } from '../backend/codecs/load.js'
import type { Backend, BackendName, Files } from '../backend/contract.js'
import { nodeFiles } from '../backend/files.js'
import { loadBackend } from '../backend/load.js'
import { type Clock, systemClock } from '../base/clock.js'
import { type Entropy, systemEntropy } from '../base/entropy.js'
import type { LogConfigInput } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { PartitionLogError } from '../errors.js'
import { DEFAULT_BATCH_LIMITS } from '../format/batch.js'
import { readLeaderEpochs } from '../log/epoch-file.js'
import { type CheckpointedOffsets, loadLog } from '../log/load.js'
import { LogCore, type LogEnvironment } from '../log/log-core.js'
import { type LogHost, PartitionLog } from '../log/partition-log.js'
import { DEFAULT_OPEN_SEGMENTS, OpenSegments } from '../segment/open-segments.js'
import { hasSegments } from './has-segments.js'
import { readCheckpoints } from './log-directory.js'
import { createLogFiles, readSettings } from './log-files.js'
import { parsePartitionName } from './partition-name.js'
import { type DirectoryShare, shareDirectory } from './shared-directories.js'

export interface OpenLogOptions {
  /** Settings; those of a log that is there must not differ from its stored ones (`ERR_CONFIG_MISMATCH`). */
  readonly config?: LogConfigInput
  /** Default true: make the log where it is not there. False: `ERR_NOT_A_LOG`. */
  readonly create?: boolean
  /** Take no lock and write nothing, beside a live writer if need be. */
  readonly readOnly?: boolean
  /** The directory is not named `topic-partition`: lock, checkpoints and marker lie inside it. */
  readonly standalone?: boolean
  /** Default: native where it loads. */
  readonly backend?: BackendName
  /** `manual`: readers stop where `setHighWatermark` says. Default `auto`: they follow the end. */
  readonly highWatermark?: 'auto' | 'manual'
  /** Most bytes that one batch may decompress to; default 128 MiB. */
  readonly maxDecompressedBytes?: number
  /** Called when a failed write or fsync took the log offline, also one that nobody awaited. */
  readonly onOffline?: (error: PartitionLogError, where: { readonly log: PartitionLog | undefined }) => void
}

/** What tests put in the place of the machine. @internal */
export interface Machine {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly files: Files
  readonly backend?: Backend
  /** How many sealed segments may have their files open. */
  readonly openSegments?: number
}

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
export function openLog(path: string, options: OpenLogOptions = {}): Promise<PartitionLog> {
  return openLogOn(MACHINE, path, options)
}

/** `openLog` on a machine of the caller's choice. @internal */
export async function openLogOn(
  machine: Machine,
  path: string,
  options: OpenLogOptions = {},
): Promise<PartitionLog> {
  const directory = resolve(path)
  const name = nameOf(directory, options)
  const backend = machine.backend ?? loadBackend(options.backend).backend
  return options.readOnly === true
    ? openReadOnly(machine, directory, name, backend, options)
    : openWritable(machine, directory, name, backend, options)
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

async function openWritable(
  machine: Machine,
  directory: string,
  name: string,
  backend: Backend,
  options: OpenLogOptions,
): Promise<PartitionLog> {
  const { files } = machine
  const isThere = await hasSegments(files, directory)
  if (!isThere && options.create === false) throw notThere(directory)
  const share = await shareDirectory(
    options.standalone === true ? directory : dirname(directory),
    name,
    backend,
    files,
  )
  try {
    const config = isThere
      ? await readSettings(files, directory, options.config)
      : await createLogFiles(share, directory, machine, options.config)
    const { flushLane, readLane } = share.directory
    const checkpoints = await share.directory.checkpointed(name)
    const env = environment(machine, { directory, name, backend, flushLane, readLane }, options)
    return await build(env.env, config, checkpoints, sharedHost(share, name), env.bind)
  } catch (error) {
    // Nothing of the log was written, so the directory is as clean as it was.
    await share.release(true)
    throw error
  }
}

async function openReadOnly(
  machine: Machine,
  directory: string,
  name: string,
  backend: Backend,
  options: OpenLogOptions,
): Promise<PartitionLog> {
  const { files } = machine
  if (!(await hasSegments(files, directory))) throw notThere(directory)
  const lanes = { flushLane: backend.openLane(), readLane: backend.openLane() }
  const close = async () => {
    await Promise.all([lanes.flushLane.close(), lanes.readLane.close()])
  }
  try {
    const config = await readSettings(files, directory, options.config)
    const checkpoints = await readCheckpoints(
      files,
      options.standalone === true ? directory : dirname(directory),
      name,
    )
    const env = environment(machine, { directory, name, backend, ...lanes }, options)
    const host: LogHost = { checkpoint: () => Promise.resolve(), closed: close }
    return await build(env.env, config, checkpoints, host, env.bind)
  } catch (error) {
    await close()
    throw error
  }
}

type Place = Pick<LogEnvironment, 'directory' | 'name' | 'backend' | 'flushLane' | 'readLane'>

/** `bind` tells the offline handler which log it speaks of. */
function environment(machine: Machine, place: Place, options: OpenLogOptions) {
  let log: PartitionLog | undefined
  const env: LogEnvironment = {
    ...place,
    files: machine.files,
    clock: machine.clock,
    entropy: machine.entropy,
    limits: {
      maxDecompressedBytes: options.maxDecompressedBytes ?? DEFAULT_BATCH_LIMITS.maxDecompressedBytes,
    },
    loadCodec,
    openSegments: new OpenSegments(machine.openSegments ?? DEFAULT_OPEN_SEGMENTS, (error) =>
      process.emitWarning(String(error)),
    ),
    highWatermark: options.highWatermark ?? 'auto',
    readOnly: options.readOnly === true,
    onOffline: (error) => options.onOffline?.(error, { log }),
  }
  return {
    env,
    bind: (opened: PartitionLog) => {
      log = opened
    },
  }
}

async function build(
  env: LogEnvironment,
  config: LogConfig,
  checkpoints: CheckpointedOffsets,
  host: LogHost,
  bind: (log: PartitionLog) => void,
): Promise<PartitionLog> {
  const { compressionType } = config
  if (compressionType !== 'producer' && compressionType !== 'uncompressed') await loadCodec(compressionType)
  const epochs = await readLeaderEpochs(env.files, env.directory)
  const core = new LogCore(env, config, await loadLog(env, config, checkpoints))
  core.epochs = epochs
  const log = new PartitionLog(core, host)
  bind(log)
  return log
}

function sharedHost(share: DirectoryShare, name: string): LogHost {
  const checkpoint = (log: PartitionLog) => {
    const { recoveryPoint, logStartOffset, highWatermark } = log.offsets
    const startsSegment = logStartOffset === log.firstBaseOffset
    return share.directory.checkpoint(name, {
      recoveryPoint,
      // A start that the segments show themselves is left out, as a broker does.
      logStartOffset: startsSegment ? undefined : logStartOffset,
      highWatermark,
    })
  }
  return {
    checkpoint,
    async closed(log, clean) {
      try {
        if (clean) await checkpoint(log)
      } finally {
        await share.release(clean)
      }
    },
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
