/**
 * Whether an append needs a new segment, and why. Pure; the five conditions of
 * Kafka's LogSegment.shouldRoll, asked before the write. Time alone never
 * rolls: the question is only asked when something is to be appended.
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

export interface RollRequest {
  readonly appendBytes: number
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
  readonly nowMs: number
  readonly maxSegmentBytes: number
  /** The smaller of segment.ms and, where the policy compacts, max.compaction.lag.ms. */
  readonly maxSegmentMs: number
}

export function rollReason(segment: RollFacts, append: RollRequest): RollReason {
  if (segment.sizeInBytes > append.maxSegmentBytes - append.appendBytes) return 'size'
  if (segment.sizeInBytes > 0 && waitedMs(segment, append) > append.maxSegmentMs - segment.rollJitterMs)
    return 'time'
  if (segment.offsetEntries >= segment.offsetCapacity) return 'offset-index-full'
  // The last slot is kept for the entry that the roll itself writes.
  if (segment.timeEntries >= segment.timeCapacity - 1) return 'time-index-full'
  const relative = append.lastOffset - segment.baseOffset
  if (relative < 0n || relative > BigInt(INT32_MAX)) return 'offset-overflow'
  return 'none'
}

/**
 * How long the segment has waited: by the records' own clock (this append's
 * largest timestamp less the first batch's), by its age where they carry none.
 */
export function waitedMs(segment: RollFacts, append: Pick<RollRequest, 'maxTimestamp' | 'nowMs'>): number {
  if (segment.firstTimestamp === undefined || segment.firstTimestamp < 0n)
    return append.nowMs - segment.createdMs
  return Number(append.maxTimestamp - segment.firstTimestamp)
}
