/**
 * From the files of a log to its state. After whatever stop they are brought
 * into order first; then they are taken as after a clean close, and checked:
 * indexes and last batches of the active segment.
 */

import { join } from 'node:path'
import type { LogConfig } from '../config/settings.js'
import { CorruptionError } from '../errors.js'
import { fileName } from '../segment/names.js'
import { Segment } from '../segment/segment.js'
import { loadReadOnly } from './beside/load-read-only.js'
import type { SeenFiles } from './beside/seen-files.js'
import type { CheckpointedOffsets } from './checkpointed-offsets.js'
import type { StoredSegment } from './directory-plan.js'
import { type LeaderEpochs, NO_EPOCHS } from './leader-epochs.js'
import { stateOf, withSegments } from './loaded-state.js'
import type { LogEnvironment } from './log-environment.js'
import type { LogState } from './log-state.js'
import { FileChanges, filesOf } from './recovery/changes.js'
import { type RecoveredFiles, recoverFiles } from './recovery/recover-log.js'
import type { RecoveryOptions } from './recovery/recovery-options.js'
import type { ScanCause } from './recovery/recovery-plan.js'
import { type RecoveryReport, ReportBuilder } from './recovery/report.js'
import { newFileOptions, segmentOptions } from './segment-options.js'
import { emptyTail, readTail } from './tail.js'

export interface LogToLoad {
  readonly env: LogEnvironment
  readonly config: LogConfig
  readonly checkpoints: CheckpointedOffsets
  /** As stored. */
  readonly epochs: LeaderEpochs
  readonly recovery: RecoveryOptions
}

export interface LoadedLog {
  readonly state: LogState
  /** With those of batches that were scanned; still to be cut to the log's offsets. */
  readonly epochs: LeaderEpochs
  /** Null where there was nothing to bring into order. */
  readonly report: RecoveryReport | null
  /** Files renamed to `.deleted`, to be removed after their delay. */
  readonly deleted: readonly string[]
  /** Of a log that is only read: the files as they were found. */
  readonly seen: SeenFiles | null
}

/** State of the log as it lies in its directory; makes the first segment where there is none. */
export async function loadLog(log: LogToLoad): Promise<LoadedLog> {
  if (!log.env.readOnly) return loadWritable(log)
  const { state, seen } = await loadReadOnly(log)
  return { state, epochs: log.epochs, report: null, deleted: [], seen }
}

async function loadWritable(log: LogToLoad): Promise<LoadedLog> {
  const { env, recovery: options } = log
  const started = {
    ms: env.clock.elapsedMs(),
    report: new ReportBuilder(),
    changes: new FileChanges(env, options.quarantine),
  }
  const suspects = new Map<bigint, ScanCause>()
  for (;;) {
    const files = await recoverFiles({ ...log, ...started, options, suspects })
    const active = files.segments.at(-1)
    try {
      return await loadRecovered(log, files, started)
    } catch (error) {
      const cause = causeOf(error)
      if (active === undefined || cause === undefined || suspects.has(active.baseOffset)) throw error
      // Looked at as a whole: either it can be made right, or the error says what is at stake.
      suspects.set(active.baseOffset, cause)
    }
  }
}

function causeOf(error: unknown): ScanCause | undefined {
  if (!(error instanceof CorruptionError)) return undefined
  return error.kind === 'index' ? 'corrupt index' : 'bad tail'
}

interface Started {
  readonly ms: number
  readonly report: ReportBuilder
  readonly changes: FileChanges
}

async function loadRecovered(log: LogToLoad, files: RecoveredFiles, started: Started): Promise<LoadedLog> {
  const { env, config, checkpoints, recovery } = log
  const { logStartOffset = 0n, recoveryPoint } = checkpoints
  const { segments } = files
  const found = segments.length === 0 ? undefined : await stateOfFiles(log, segments)
  // Kafka's rule: records below the start are nobody's, and the log goes on at its start.
  if (found === undefined && segments.length > 0) await removeAll(log, segments, started)
  const state = found ?? firstState(env, config, logStartOffset)
  try {
    await removeLeftovers(log, files.leftovers, started)
  } catch (error) {
    for (const segment of state.segments) await segment.retire()
    throw error
  }
  const { wasClean } = recovery
  const ms = Math.round(env.clock.elapsedMs() - started.ms)
  return {
    state,
    epochs: found === undefined && segments.length > 0 ? NO_EPOCHS : files.epochs,
    report: started.report.isEmpty
      ? null
      : started.report.finish({ wasClean, recoveryPoint, ...endsOf(state), ms }),
    deleted: started.changes.deleted,
    seen: null,
  }
}

async function removeLeftovers(
  { env }: LogToLoad,
  names: readonly string[],
  { report, changes }: Started,
): Promise<void> {
  await changes.remove(names)
  report.removedFiles.push(...names.map((name) => join(env.directory, name)))
}

function endsOf({ logStartOffset, logEndOffset }: LogState) {
  return { logStartOffset, logEndOffset }
}

/** Undefined where the log starts behind its end. */
function stateOfFiles(
  { env, config, checkpoints }: LogToLoad,
  stored: readonly StoredSegment[],
): Promise<LogState | undefined> {
  return withSegments(env, config, stored, async (segments, active) => {
    active.activate(config.segmentIndexBytes)
    // An empty segment may still lack its indexes, and has no tail to read.
    const tail =
      active.sizeInBytes === 0 ? emptyTail(active.baseOffset) : await readTail(env.readLane, active)
    if ((checkpoints.logStartOffset ?? 0n) > tail.nextOffset) return undefined
    const state = stateOf(env, segments, tail.nextOffset, checkpoints)
    await makeMissing(env, stored, active)
    active.grow()
    active.resetIndexState(tail.maxTimestamp)
    return state
  })
}

/** Indexes of empty segments, which a broker makes late. */
async function makeMissing(
  env: LogEnvironment,
  stored: readonly StoredSegment[],
  active: Segment,
): Promise<void> {
  for (const { baseOffset, sizeInBytes, lacks } of stored) {
    if (sizeInBytes > 0 || lacks.length === 0) continue
    for (const kind of lacks)
      await env.files.write(join(env.directory, fileName(baseOffset, kind)), new Uint8Array())
    if (baseOffset === active.baseOffset) active.noteIndexesMade()
  }
}

async function removeAll(
  { env, checkpoints }: LogToLoad,
  segments: readonly StoredSegment[],
  { report, changes }: Started,
): Promise<void> {
  const because = `the log starts at offset ${checkpoints.logStartOffset}, behind its end`
  const text = `Deleting all segments of ${env.name}, because its end is smaller than its log start offset ${checkpoints.logStartOffset}. This could happen if segment files were deleted from the file system.`
  env.logger.warn({ log: env.name }, text)
  for (const segment of segments) report.quarantined.push(...(await changes.copyAway(filesOf(segment))))
  await changes.removeSegments(segments)
  for (const { baseOffset, storedAs, sizeInBytes } of segments)
    report.removedSegments.push({ path: join(env.directory, storedAs), baseOffset, sizeInBytes, because })
}

function firstState(env: LogEnvironment, config: LogConfig, startOffset: bigint): LogState {
  const segment = Segment.create(segmentOptions(env, config, startOffset), newFileOptions(config))
  return {
    segments: [segment],
    generation: 0,
    logStartOffset: startOffset,
    recoveryPoint: startOffset,
    durableOffset: startOffset,
    lastStableOffset: startOffset,
    highWatermark: startOffset,
    logEndOffset: startOffset,
  }
}
