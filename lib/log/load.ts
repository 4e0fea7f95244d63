/**
 * Opens the segments of a log that was closed cleanly. What is on disk is
 * taken as facts and checked: names, sizes, indexes, the last batches.
 */

import { join } from 'node:path'
import type { DirectoryEntry } from '../backend/contract.js'
import type { LogConfig } from '../config/settings.js'
import { corrupt, PartitionLogError } from '../errors.js'
import { type FileName, fileName, parseFileName } from '../segment/names.js'
import { Segment } from '../segment/segment.js'
import { type LogEnvironment, newFileOptions, segmentOptions } from './log-core.js'
import { type LogState, maxOffset, minOffset } from './log-state.js'
import { readTail, readTailAsFound } from './tail.js'

/** What the log directory's checkpoints say of this log; undefined where they say nothing. */
export interface CheckpointedOffsets {
  readonly logStartOffset: bigint | undefined
  readonly recoveryPoint: bigint | undefined
  readonly highWatermark: bigint | undefined
}

const SEGMENT_BYTES_MAX = 2 ** 31 - 1

/** State of the log as it lies in its directory; makes the first segment where there is none. */
export async function loadLog(
  env: LogEnvironment,
  config: LogConfig,
  checkpoints: CheckpointedOffsets,
): Promise<LogState> {
  const files = await segmentFilesOf(env)
  const logs = await completed(env, files)
  const segments = logs.map(({ name, entry }) => existing(env, config, name.baseOffset, entry))
  const active = segments.at(-1)
  if (active === undefined) return firstState(env, config, checkpoints.logStartOffset ?? 0n)
  try {
    return await stateOfSegments(env, config, segments, active, checkpoints)
  } catch (error) {
    for (const segment of segments) await segment.retire()
    throw error
  }
}

/** Changes a file only when all is found to be in order. */
async function stateOfSegments(
  env: LogEnvironment,
  config: LogConfig,
  segments: readonly Segment[],
  active: Segment,
  checkpoints: CheckpointedOffsets,
): Promise<LogState> {
  const tail = await (env.readOnly ? readTailAsFound : readTail)(env.readLane, active)
  const state = stateOf(env, segments, tail.nextOffset, checkpoints)
  if (env.readOnly) active.endAt(tail.endPosition)
  else active.activate(config.segmentIndexBytes)
  active.resetIndexState(tail.maxTimestamp)
  return state
}

interface SegmentFile {
  readonly name: FileName
  readonly entry: DirectoryEntry
}

/** The segment files in use. Leftovers of deletions are removed, those of other work are refused. */
async function segmentFilesOf(env: LogEnvironment): Promise<SegmentFile[]> {
  const found: SegmentFile[] = []
  for (const entry of await env.files.list(env.directory)) {
    const name = entry.isDirectory ? undefined : parseFileName(entry.name)
    if (name === undefined) continue
    if (name.transition === undefined) found.push({ name, entry })
    else if (name.transition !== 'deleted') throw interrupted(env, entry.name)
    else if (!env.readOnly) await env.files.remove(join(env.directory, entry.name))
  }
  return found
}

function byBaseOffset(a: SegmentFile, b: SegmentFile): number {
  return a.name.baseOffset < b.name.baseOffset ? -1 : 1
}

function interrupted(env: LogEnvironment, name: string): PartitionLogError {
  const path = join(env.directory, name)
  return new PartitionLogError(
    'ERR_UNCLEAN',
    `${path} is left from an interrupted cleaning; this version cannot finish it: let a Kafka broker open the directory once`,
    { path },
  )
}

/**
 * Every segment with records needs its indexes. An empty one may lack them (a broker makes them late): they are made
 * here, and an empty segment that is only read is left out.
 */
async function completed(env: LogEnvironment, files: readonly SegmentFile[]): Promise<SegmentFile[]> {
  const present = new Set(files.map(({ name }) => fileName(name.baseOffset, name.kind)))
  const complete: SegmentFile[] = []
  for (const log of files.filter(({ name }) => name.kind === 'log').sort(byBaseOffset)) {
    const { baseOffset } = log.name
    checkSize(env, log.entry)
    const missing = INDEX_KINDS.map((kind) => fileName(baseOffset, kind)).filter((name) => !present.has(name))
    if (missing.length > 0 && log.entry.sizeInBytes > 0)
      throw indexMissing(join(env.directory, missing[0] as string))
    if (missing.length > 0 && env.readOnly) continue
    for (const name of missing) await env.files.write(join(env.directory, name), new Uint8Array())
    complete.push(log)
  }
  return complete
}

const INDEX_KINDS = ['index', 'timeindex'] as const

function checkSize(env: LogEnvironment, entry: DirectoryEntry): void {
  if (entry.sizeInBytes <= SEGMENT_BYTES_MAX) return
  throw corrupt(
    'batch',
    join(env.directory, entry.name),
    `${entry.sizeInBytes} bytes are more than a segment can have`,
  )
}

function indexMissing(path: string) {
  return corrupt(
    'index',
    path,
    'the file is missing beside a segment with records; restore it, or let a Kafka broker open the directory once to rebuild it',
  )
}

function existing(
  env: LogEnvironment,
  config: LogConfig,
  baseOffset: bigint,
  entry: DirectoryEntry,
): Segment {
  return Segment.existing(segmentOptions(env, config, baseOffset), entry.sizeInBytes)
}

function firstState(env: LogEnvironment, config: LogConfig, startOffset: bigint): LogState {
  if (env.readOnly) {
    throw new PartitionLogError(
      'ERR_NOT_A_LOG',
      `${env.directory} holds no segment; open it without readOnly to begin one`,
      { path: env.directory },
    )
  }
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

function stateOf(
  env: LogEnvironment,
  segments: readonly Segment[],
  nextOffset: bigint,
  checkpoints: CheckpointedOffsets,
): LogState {
  const firstOffset = (segments[0] as Segment).baseOffset
  const logStartOffset = maxOffset(checkpoints.logStartOffset ?? firstOffset, firstOffset)
  if (logStartOffset > nextOffset) {
    throw new PartitionLogError(
      'ERR_UNCLEAN',
      `${env.directory}: the checkpointed start offset ${logStartOffset} lies behind the log's end ${nextOffset}; records are missing`,
      { path: env.directory, expected: logStartOffset, actual: nextOffset },
    )
  }
  const manual = maxOffset(minOffset(checkpoints.highWatermark ?? logStartOffset, nextOffset), logStartOffset)
  const highWatermark = env.highWatermark === 'manual' ? manual : nextOffset
  // A clean stop flushed everything; of a log that another may be writing only its checkpoint is known.
  const checkpointed = maxOffset(
    minOffset(checkpoints.recoveryPoint ?? logStartOffset, nextOffset),
    logStartOffset,
  )
  const flushedOffset = env.readOnly ? checkpointed : nextOffset
  return {
    segments,
    generation: 0,
    logStartOffset,
    recoveryPoint: flushedOffset,
    durableOffset: flushedOffset,
    lastStableOffset: highWatermark,
    highWatermark,
    logEndOffset: nextOffset,
  }
}
