/**
 * A log from its directory: codec, leader epochs, segments, and the host that
 * keeps its offsets. The one place where a `PartitionLog` is made.
 */

import { resolve } from 'node:path'
import { loadCodec } from '../backend/codecs/load.js'
import type { Backend, Lane } from '../backend/contract.js'
import type { Logger } from '../base/logger.js'
import type { StoredSettings } from '../checkpoint/log-properties.js'
import { type LogConfigInput, mayDelete } from '../config/log-config.js'
import type { ManagerConfig } from '../config/manager-settings.js'
import { CorruptionError, type PartitionLogError } from '../errors.js'
import { DEFAULT_BATCH_LIMITS } from '../format/batch.js'
import { BesideWriter } from '../log/beside/beside-writer.js'
import type { CheckpointedOffsets } from '../log/checkpointed-offsets.js'
import { discardLog } from '../log/close.js'
import { removeLater } from '../log/deletion.js'
import { epochsOfBatches, keepLeaderEpochs, readLeaderEpochs } from '../log/epoch-file.js'
import { announce } from '../log/events.js'
import { type LeaderEpochs, NO_EPOCHS } from '../log/leader-epochs.js'
import { loadLog } from '../log/load.js'
import { LogCore } from '../log/log-core.js'
import type { LogEnvironment } from '../log/log-environment.js'
import type { LogHost } from '../log/log-host.js'
import type { AppendRoom } from '../log/log-space.js'
import { PartitionLog } from '../log/partition-log.js'
import { loadProducers } from '../log/producers/load-producers.js'
import { NO_LISTENER } from '../log/recovery/listener.js'
import type { RecoveryOptions } from '../log/recovery/recovery-options.js'
import { loadConfiguredCodec, warnOfIgnored } from '../log/update-config.js'
import type { Segment } from '../segment/segment.js'
import type { Lanes } from './lanes.js'
import type { LogDirectory } from './log-directory.js'
import { type Machine, openSegmentsOf } from './machine.js'
import type { OpenLogOptions } from './open-options.js'

/** What is the same for all logs that one caller opens. */
export interface LogSurroundings {
  readonly machine: Machine
  readonly backend: Backend
  readonly logger: Logger
  readonly highWatermark: 'auto' | 'manual'
  readonly readOnly: boolean
  readonly maxDecompressedBytes: number | undefined
  readonly producerLimits: Pick<ManagerConfig, 'producerIdExpirationMs' | 'transactionMaxTimeoutMs'>
  /** Called once for a log that goes offline; undefined while it is still being opened. */
  readonly onOffline: (error: PartitionLogError, log: PartitionLog | undefined) => void
}

/** One log to be opened. */
export interface LogToBuild {
  /** `topic-partition`. */
  readonly name: string
  readonly directory: string
  readonly settings: StoredSettings
  /** Settings that the opener gave: with one of deletion among them a foreign log may lose records too. */
  readonly given: LogConfigInput
  readonly checkpoints: CheckpointedOffsets
  readonly lanes: Lanes
  readonly room: AppendRoom
  readonly host: LogHost
  readonly recovery: RecoveryOptions
  /** With `readOnly`: what the checkpoints say now. */
  readonly readCheckpoints?: () => Promise<CheckpointedOffsets>
}

/** Throws what opening a log can throw; nothing of it stays open then. */
export async function buildLog(around: LogSurroundings, log: LogToBuild): Promise<PartitionLog> {
  const { config, isForeign } = log.settings
  await loadConfiguredCodec(loadCodec, config)
  let built: PartitionLog | undefined
  const env = environment(around, log, (error) => around.onOffline(error, built))
  const { checkpoints, recovery } = log
  const stored = await storedEpochs(env, recovery)
  const loading = { env, config, checkpoints, epochs: stored ?? NO_EPOCHS, recovery }
  const { state, epochs, report, deleted, seen } = await loadLog(loading)
  const core = new LogCore(env, config, state)
  try {
    const found = stored === undefined ? await epochsOfBatches(env, state.segments) : epochs
    core.epochs = await keepLeaderEpochs(env, stored, found, state)
    await loadProducers(core, {
      wasClosed: recovery.wasClean,
      scanned: report?.scanned ?? [],
      checkpointedStart: checkpoints.logStartOffset ?? 0n,
    })
    await lowerRecoveryPoint(log, core)
  } catch (error) {
    await discardLog(core)
    throw error
  }
  core.recovery = report
  core.cleaning.checkpoint = checkpoints.firstDirtyOffset
  if (seen !== null && log.readCheckpoints !== undefined)
    core.beside = new BesideWriter(core, seen, log.readCheckpoints)
  if (report !== null) announce('recover', () => ({ log: log.name, ...report }))
  removeLater(core, deleted)
  core.mayDelete = mayDelete(isForeign, log.given)
  warnOfIgnored(log.name, config)
  built = new PartitionLog(core, log.host)
  return built
}

export interface RecoveryWishes extends Pick<OpenLogOptions, 'onDamage' | 'quarantine' | 'onProgress'> {
  readonly name: string
  readonly wasClean: boolean
  readonly scanLane: Lane
  readonly signal?: AbortSignal | undefined
}

/** What the opener said of a recovery, with what holds where it said nothing. */
export function recoveryOptions(wishes: RecoveryWishes): RecoveryOptions {
  const { name, wasClean, scanLane, onDamage = 'refuse', quarantine, onProgress, signal } = wishes
  return {
    wasClean,
    scanLane,
    onDamage,
    quarantine: quarantine === undefined ? undefined : resolve(quarantine),
    onProgress: onProgress && ((done, total) => onProgress({ phase: 'recover', log: name, done, total })),
    signal,
    listener: NO_LISTENER,
  }
}

/** Undefined where the file is damaged and may be made anew. */
async function storedEpochs(
  env: LogEnvironment,
  { onDamage }: RecoveryOptions,
): Promise<LeaderEpochs | undefined> {
  try {
    return await readLeaderEpochs(env.files, env.directory)
  } catch (error) {
    if (!(error instanceof CorruptionError) || onDamage !== 'cut' || env.readOnly) throw error
    env.logger.warn(
      { log: env.name, error },
      `${error.message}; the leader epochs are taken from the batches`,
    )
    return undefined
  }
}

/** Before anything is appended below it: the next recovery would begin behind what was not flushed. */
async function lowerRecoveryPoint({ checkpoints, host }: LogToBuild, { env, state }: LogCore): Promise<void> {
  if (env.readOnly || (checkpoints.recoveryPoint ?? 0n) <= state.logEndOffset) return
  await host.checkpoint(state, (state.segments[0] as Segment).baseOffset)
}

/** What the log is given from outside. */
export function environment(
  {
    machine,
    backend,
    logger,
    highWatermark,
    readOnly,
    maxDecompressedBytes,
    producerLimits,
  }: LogSurroundings,
  { name, directory, lanes, room }: Pick<LogToBuild, 'name' | 'directory' | 'lanes' | 'room'>,
  onOffline: LogEnvironment['onOffline'],
): LogEnvironment {
  return {
    name,
    directory,
    backend,
    flushLane: lanes.flushLane,
    readLane: lanes.readLane,
    files: machine.files,
    clock: machine.clock,
    entropy: machine.entropy,
    logger,
    limits: { maxDecompressedBytes: maxDecompressedBytes ?? DEFAULT_BATCH_LIMITS.maxDecompressedBytes },
    loadCodec,
    openSegments: openSegmentsOf(machine),
    room,
    highWatermark,
    readOnly,
    producerLimits,
    onOffline,
  }
}

/** The host of a log in `directory`; `closed` is told when the log has let go. */
export function hostIn(
  directory: LogDirectory,
  name: string,
  closed: (clean: boolean) => Promise<void>,
): LogHost {
  return {
    checkpoint: ({ recoveryPoint, logStartOffset, highWatermark }, firstBaseOffset) =>
      directory.checkpoint(name, {
        recoveryPoint,
        logStartOffset: checkpointedStart(logStartOffset, firstBaseOffset),
        highWatermark,
      }),
    saveFirstDirtyOffset: (offset) => directory.checkpointAll('firstDirtyOffset', new Map([[name, offset]])),
    closed,
  }
}

/** A start that the segments show themselves is left out, as a broker does. */
export function checkpointedStart(logStartOffset: bigint, firstBaseOffset: bigint): bigint | undefined {
  return logStartOffset === firstBaseOffset ? undefined : logStartOffset
}
