/**
 * What is true of one log at one moment: its offsets and segments, as one
 * immutable value. Every change makes a new value in one synchronous step;
 * whoever holds an old one sees a consistent past.
 */

import type { Segment } from '../segment/segment.js'

/** The offsets that users see; each is the first offset that is *not* covered. */
export interface LogOffsets {
  /** First offset that can be read. */
  readonly logStartOffset: bigint
  /** Where the next start after an unclean stop begins to scan. */
  readonly recoveryPoint: bigint
  /** Everything below is on disk. */
  readonly durableOffset: bigint
  /** Readers of committed data stop here. */
  readonly lastStableOffset: bigint
  /** Readers stop here. */
  readonly highWatermark: bigint
  /** Offset that the next append gets. */
  readonly logEndOffset: bigint
}

/** Segments deleted whose files still take room on the disk, though no reader can find them any more. */
export interface PendingDeletion {
  readonly baseOffsets: readonly bigint[]
  readonly sizeInBytes: number
  /** When they are removed, ms since the epoch. */
  readonly dueMs: number
}

export interface DeletedFile {
  readonly path: string
  /** Bytes of records that go with it. */
  readonly recordBytes: number
}

export interface LogState extends LogOffsets {
  /** By rising base offset; never empty; the last is the active one. */
  readonly segments: readonly Segment[]
  /** Raised when bytes that were there are gone or replaced: truncation, swap. */
  readonly generation: number
}

/** `state` if the laws of the offsets hold; a broken law is a fault of this package. */
export function checkedState(state: LogState): LogState {
  const { logStartOffset, recoveryPoint, durableOffset, lastStableOffset, highWatermark, logEndOffset } =
    state
  const rising =
    logStartOffset <= recoveryPoint &&
    recoveryPoint <= logEndOffset &&
    durableOffset <= logEndOffset &&
    logStartOffset <= lastStableOffset &&
    lastStableOffset <= highWatermark &&
    highWatermark <= logEndOffset
  if (rising && state.segments.length > 0) return state
  const text = Object.entries(offsetsOf(state)).map(([name, offset]) => `${name} ${offset}`)
  throw new Error(`offsets out of order: ${text.join(', ')}, ${state.segments.length} segments`)
}

/** `state` with another end and watermarks. Spelt out: spreading it would cost an append more than writing it all. */
export function endingAt(
  state: LogState,
  logEndOffset: bigint,
  highWatermark: bigint,
  lastStableOffset: bigint,
): LogState {
  const { logStartOffset, recoveryPoint, durableOffset, segments, generation } = state
  return {
    logStartOffset,
    recoveryPoint,
    durableOffset,
    lastStableOffset,
    highWatermark,
    logEndOffset,
    segments,
    generation,
  }
}

/** The offsets alone. */
export function offsetsOf({
  logStartOffset,
  recoveryPoint,
  durableOffset,
  lastStableOffset,
  highWatermark,
  logEndOffset,
}: LogState): LogOffsets {
  return { logStartOffset, recoveryPoint, durableOffset, lastStableOffset, highWatermark, logEndOffset }
}

/** The offsets of a log whose start moves to `offset`, or stays where it is above it. */
export function startingAt(state: LogState, offset: bigint) {
  const logStartOffset = maxOffset(state.logStartOffset, offset)
  return {
    logStartOffset,
    lastStableOffset: maxOffset(state.lastStableOffset, logStartOffset),
    recoveryPoint: maxOffset(state.recoveryPoint, logStartOffset),
  }
}

export function activeSegment(state: LogState): Segment {
  return state.segments[state.segments.length - 1] as Segment
}

/** Index of the segment that can hold `offset`: the last with a base offset at or below; -1 for none. */
export function floorSegment(segments: readonly { readonly baseOffset: bigint }[], offset: bigint): number {
  let low = 0
  let high = segments.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((segments[middle] as { baseOffset: bigint }).baseOffset <= offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

export function minOffset(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function maxOffset(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
