/**
 * A log as it lies there, for whoever only looks at its files: takes no lock,
 * changes nothing, and works beside a live writer.
 */

import { basename, dirname, join, resolve } from 'node:path'
import type { BackendName, Lane } from '../backend/contract.js'
import { loadBackend } from '../backend/load.js'
import { silentLogger } from '../base/logger.js'
import { readText } from '../checkpoint/atomic-file.js'
import { CLEAN_SHUTDOWN_FILE } from '../checkpoint/clean-shutdown.js'
import {
  CLEANER_FILE,
  HIGH_WATERMARK_FILE,
  LOG_START_FILE,
  parseOffsetCheckpoint,
  RECOVERY_POINT_FILE,
} from '../checkpoint/offset-checkpoint.js'
import { resolveManagerConfig } from '../config/manager-config.js'
import type { LogConfig } from '../config/settings.js'
import { CorruptionError, PartitionLogError } from '../errors.js'
import type { CheckpointedOffsets } from '../log/checkpointed-offsets.js'
import { readLeaderEpochs } from '../log/epoch-file.js'
import { type LeaderEpochs, NO_EPOCHS } from '../log/leader-epochs.js'
import type { LogEnvironment } from '../log/log-environment.js'
import { UNLIMITED_ROOM } from '../log/log-space.js'
import { environment } from './build-log.js'
import { hasSegments } from './has-segments.js'
import { closeLanes, openLanes } from './lanes.js'
import { STANDALONE_NAME } from './log-directory.js'
import { readSettings } from './log-files.js'
import { MACHINE, type Machine } from './machine.js'
import { parsePartitionName } from './partition-name.js'

export interface LookOptions {
  /** Default: native where it loads. */
  readonly backend?: BackendName
}

export interface LogLook {
  readonly env: LogEnvironment
  readonly config: LogConfig
  readonly checkpoints: CheckpointedOffsets
  readonly epochs: LeaderEpochs
  /** The directory has its marker. */
  readonly wasClean: boolean
  readonly lane: Lane
  /** Small files that cannot be read as what they should be. */
  readonly damagedFiles: readonly CorruptionError[]
}

/** Hands the log in `path` to `use`. `ERR_NOT_A_LOG`, `ERR_CORRUPT` (its settings), `ERR_IO`. */
export async function lookAtLog<T>(
  path: string,
  options: LookOptions,
  use: (look: LogLook) => Promise<T>,
  machine: Machine = MACHINE,
): Promise<T> {
  const directory = resolve(path)
  const { files } = machine
  if (!(await hasSegments(files, directory))) throw notThere(directory)
  const backend = machine.backend ?? loadBackend(options.backend).backend
  const lanes = openLanes(backend)
  try {
    const isNamed = parsePartitionName(basename(directory)) !== undefined
    const [name, above] = isNamed ? [basename(directory), dirname(directory)] : [STANDALONE_NAME, directory]
    const around = {
      machine,
      backend,
      logger: silentLogger,
      highWatermark: 'auto',
      readOnly: true,
      maxDecompressedBytes: undefined,
      producerLimits: resolveManagerConfig({}),
      onOffline: () => undefined,
    } as const
    const env = environment(around, { name, directory, lanes, room: UNLIMITED_ROOM }, () => undefined)
    const { config } = await readSettings(files, directory)
    const damagedFiles: CorruptionError[] = []
    const orElse = async <V>(work: () => Promise<V>, fallback: V): Promise<V> => {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error
        damagedFiles.push(error)
        return fallback
      }
    }
    const offsetIn = (file: string) =>
      orElse(async () => {
        const text = await readText(files, join(above, file))
        return text === undefined ? undefined : parseOffsetCheckpoint(join(above, file), text).get(name)
      }, undefined)
    const checkpoints = {
      recoveryPoint: await offsetIn(RECOVERY_POINT_FILE),
      logStartOffset: await offsetIn(LOG_START_FILE),
      highWatermark: await offsetIn(HIGH_WATERMARK_FILE),
      firstDirtyOffset: await offsetIn(CLEANER_FILE),
    }
    const epochs = await orElse(() => readLeaderEpochs(files, directory), NO_EPOCHS)
    const wasClean = await files.exists(join(above, CLEAN_SHUTDOWN_FILE))
    return await use({ env, config, checkpoints, epochs, wasClean, lane: lanes.readLane, damagedFiles })
  } finally {
    await closeLanes(lanes)
  }
}

function notThere(path: string): PartitionLogError {
  return new PartitionLogError('ERR_NOT_A_LOG', `${path} holds no segment`, { path })
}
