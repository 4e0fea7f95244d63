/**
 * Whether an append needs a new segment, and why. Pure; the five conditions of
 * Kafka's LogSegment.shouldRoll, asked before the write. Time alone never
 * rolls: the question is only asked when something is to be appended. What is
 * left until each condition holds is told by the same sums.
 */

import { INT32_MAX } from '../base/int64.js'

export type RollReason =
  | 'none'
  | 'size'
  | 'time'
  | 'offset-index-full'
  | 'time-index-full'
  | 'offset-overflow'

export interface RollFacts {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  /** Largest timestamp of the segment's first batch; undefined where it has none or carries no time. */
  readonly firstTimestamp: bigint | undefined
  readonly createdMs: number
  readonly rollJitterMs: number
  readonly offsetEntries: number
  readonly offsetCapacity: number
  readonly timeEntries: number
  readonly timeCapacity: number
}

/** How far a segment may grow. */
export interface RollLimits {
  readonly maxSegmentBytes: number
  /** The smaller of segment.ms and, where the policy compacts, max.compaction.lag.ms. */
  readonly maxSegmentMs: number
}

export interface RollRequest extends RollLimits {
  readonly appendBytes: number
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
  readonly nowMs: number
}

const LARGEST_RELATIVE = BigInt(INT32_MAX)

export function rollReason(segment: RollFacts, append: RollRequest): RollReason {
  if (append.appendBytes > bytesLeft(segment, append)) return 'size'
  if (segment.sizeInBytes > 0 && waitedMs(segment, append) > longestWaitMs(segment, append)) return 'time'
  if (offsetEntriesLeft(segment) <= 0) return 'offset-index-full'
  if (timeEntriesLeft(segment) <= 0) return 'time-index-full'
  const relative = append.lastOffset - segment.baseOffset
  if (relative < 0n || relative > LARGEST_RELATIVE) return 'offset-overflow'
  return 'none'
}

/** What is left of a segment: each condition holds for the first append that goes beyond. */
export interface RollRoom {
  /** Bytes of the largest append that fits; negative where the limit was lowered. */
  readonly bytesLeft: number
  /** By the records' own timestamps, or by the clock where they have none; undefined while the segment is empty: it does not age. */
  readonly time: { readonly countedBy: 'records' | 'clock'; readonly untilMs: number } | undefined
  readonly offsetEntriesLeft: number
  readonly timeEntriesLeft: number
  /** The largest offset that fits 31 bits above the base. */
  readonly lastOffset: bigint
}

export function rollRoom(segment: RollFacts, limits: RollLimits): RollRoom {
  return {
    bytesLeft: bytesLeft(segment, limits),
    time: segment.sizeInBytes > 0 ? ageLimit(segment, limits) : undefined,
    offsetEntriesLeft: offsetEntriesLeft(segment),
    timeEntriesLeft: timeEntriesLeft(segment),
    lastOffset: segment.baseOffset + LARGEST_RELATIVE,
  }
}

function ageLimit(segment: RollFacts, limits: RollLimits): NonNullable<RollRoom['time']> {
  const { firstTimestamp, createdMs } = segment
  const longestMs = longestWaitMs(segment, limits)
  return hasTime(firstTimestamp)
    ? { countedBy: 'records', untilMs: Number(firstTimestamp) + longestMs }
    : { countedBy: 'clock', untilMs: createdMs + longestMs }
}

function bytesLeft({ sizeInBytes }: RollFacts, { maxSegmentBytes }: RollLimits): number {
  return maxSegmentBytes - sizeInBytes
}

function longestWaitMs({ rollJitterMs }: RollFacts, { maxSegmentMs }: RollLimits): number {
  return maxSegmentMs - rollJitterMs
}

function offsetEntriesLeft({ offsetCapacity, offsetEntries }: RollFacts): number {
  return offsetCapacity - offsetEntries
}

/** The last slot is kept for the entry that the roll itself writes. */
function timeEntriesLeft({ timeCapacity, timeEntries }: RollFacts): number {
  return timeCapacity - 1 - timeEntries
}

/**
 * How long the segment has waited: by the records' own clock (this append's
 * largest timestamp less the first batch's), by its age where they carry none.
 */
export function waitedMs(
  { firstTimestamp, createdMs }: RollFacts,
  append: Pick<RollRequest, 'maxTimestamp' | 'nowMs'>,
): number {
  if (!hasTime(firstTimestamp)) return append.nowMs - createdMs
  return Number(append.maxTimestamp - firstTimestamp)
}

function hasTime(timestamp: bigint | undefined): timestamp is bigint {
  return timestamp !== undefined && timestamp >= 0n
}
