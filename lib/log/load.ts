/**
 * Opens the segments of a log that was closed cleanly. What is on disk is
 * taken as facts and checked: names, sizes, indexes, the last batches.
 */

import { join } from 'node:path'
import type { LogConfig } from '../config/settings.js'
import { PartitionLogError } from '../errors.js'
import { Segment } from '../segment/segment.js'
import { newFileOptions, segmentOptions } from './log-core.js'
import type { LogEnvironment } from './log-environment.js'
import { type LogState, maxOffset, minOffset } from './log-state.js'
import { listSegments, type SegmentListing } from './segment-listing.js'
import { emptyTail, readTail, readTailAsFound } from './tail.js'

/** What the log directory's checkpoints say of this log; undefined where they say nothing. */
export interface CheckpointedOffsets {
  readonly logStartOffset: bigint | undefined
  readonly recoveryPoint: bigint | undefined
  readonly highWatermark: bigint | undefined
}

/** State of the log as it lies in its directory; makes the first segment where there is none. */
export async function loadLog(
  env: LogEnvironment,
  config: LogConfig,
  checkpoints: CheckpointedOffsets,
): Promise<LogState> {
  const listing = await listSegments(env)
  const segments = listing.logs.map((log) =>
    Segment.existing(segmentOptions(env, config, log.baseOffset), log),
  )
  const active = segments.at(-1)
  try {
    const state =
      active === undefined
        ? firstState(env, config, checkpoints.logStartOffset ?? 0n)
        : await stateOfSegments(env, config, segments, active, checkpoints, listing)
    if (!env.readOnly) await removeAll(env, listing.leftovers)
    return state
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
  listing: SegmentListing,
): Promise<LogState> {
  const read = env.readOnly ? readTailAsFound : readTail
  if (!env.readOnly) active.activate(config.segmentIndexBytes)
  // An empty segment may still lack its indexes, and has no tail to read.
  const tail = active.sizeInBytes === 0 ? emptyTail(active.baseOffset) : await read(env.readLane, active)
  const state = stateOf(env, segments, tail.nextOffset, checkpoints)
  if (env.readOnly) {
    active.endAt(tail.endPosition)
  } else {
    for (const name of listing.missing) await env.files.write(join(env.directory, name), new Uint8Array())
    if (listing.missing.length > 0) active.noteIndexesMade()
    active.grow()
  }
  active.resetIndexState(tail.maxTimestamp)
  return state
}

async function removeAll(env: LogEnvironment, names: readonly string[]): Promise<void> {
  for (const name of names) await env.files.remove(join(env.directory, name))
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
