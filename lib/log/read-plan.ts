/**
 * Where a read goes: which segment, from where, how far. Pure.
 */

import { OffsetOutOfRangeError } from '../errors.js'
import type { Segment } from '../segment/segment.js'
import { floorSegment, type LogOffsets, type LogState, maxOffset } from './log-state.js'

export interface ReadPlan {
  readonly segment: Segment
  /** Relative offset to look for in it; beyond 31 bits there is none. */
  readonly target: number
  /** Where to go on if this segment has nothing at or behind the target; null at the end. */
  readonly nextBaseOffset: bigint | null
}

/** Null where nothing lies at or behind `offset` below `upperBound`. */
export function planRead(state: LogState, offset: bigint, upperBound: bigint): ReadPlan | null {
  if (offset >= upperBound) return null
  const index = Math.max(0, floorSegment(state.segments, offset))
  const segment = state.segments[index] as Segment
  const relative = maxOffset(offset - segment.baseOffset, 0n)
  return {
    segment,
    target: Number(relative),
    nextBaseOffset: state.segments[index + 1]?.baseOffset ?? null,
  }
}

/** Throws `ERR_OFFSET_OUT_OF_RANGE` unless `offset` lies from the log's start to its end, the end included. */
export function checkReadable(name: string, offset: bigint, state: LogState): void {
  if (offset < state.logStartOffset || offset > state.logEndOffset)
    throw offsetOutOfRange(name, offset, state)
}

export function offsetOutOfRange(name: string, offset: bigint, state: LogOffsets): OffsetOutOfRangeError {
  const { logStartOffset, logEndOffset, highWatermark } = state
  return new OffsetOutOfRangeError(
    'ERR_OFFSET_OUT_OF_RANGE',
    `${name} holds offsets ${logStartOffset} to ${logEndOffset} (high watermark ${highWatermark}), not ${offset}`,
    { offset, logStartOffset, logEndOffset },
  )
}
