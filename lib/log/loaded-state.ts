/**
 * Segments found, and what the checkpoints say, as the state of a log.
 */

import type { LogConfig } from '../config/settings.js'
import { Segment } from '../segment/segment.js'
import type { CheckpointedOffsets } from './checkpointed-offsets.js'
import type { StoredSegment } from './directory-plan.js'
import type { LogEnvironment } from './log-environment.js'
import { type LogState, maxOffset, minOffset } from './log-state.js'
import { placeOf, segmentOptions } from './segment-options.js'

/** The segments as objects; they are let go where `use` gives nothing. */
export async function withSegments<T>(
  env: LogEnvironment,
  config: LogConfig,
  stored: readonly StoredSegment[],
  use: (segments: readonly Segment[], active: Segment) => Promise<T>,
): Promise<T> {
  const place = placeOf(env)
  const optionsOf = ({ baseOffset }: StoredSegment) => segmentOptions(env, config, baseOffset, place)
  const segments = stored.map((log) => Segment.existing(optionsOf(log), log))
  let result: T | undefined
  try {
    result = await use(segments, segments.at(-1) as Segment)
    return result
  } finally {
    if (result === undefined) for (const segment of segments) await segment.retire()
  }
}

/** The state of a log whose records end before `foundEnd`, by what its checkpoints say. */
export function stateOf(
  env: LogEnvironment,
  segments: readonly Segment[],
  foundEnd: bigint,
  checkpoints: CheckpointedOffsets,
): LogState {
  const firstOffset = (segments[0] as Segment).baseOffset
  const logStartOffset = maxOffset(checkpoints.logStartOffset ?? firstOffset, firstOffset)
  // Only a log that is read alone can be found to end below its start: another process is about to change that.
  const nextOffset = maxOffset(foundEnd, logStartOffset)
  const manual = maxOffset(minOffset(checkpoints.highWatermark ?? logStartOffset, nextOffset), logStartOffset)
  const highWatermark = env.highWatermark === 'manual' ? manual : nextOffset
  // What was opened to be written to is on disk as it is; of another's log only its checkpoint is known.
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
