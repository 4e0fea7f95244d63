/**
 * What would roll the active segment, and what is left until then: the sums of
 * `rollReason`, for an append that nobody has made. Nothing rolls while nobody
 * appends.
 */

import { segmentBytesOf } from '../config/log-config.js'
import { RECORDS_AT } from '../format/layout.js'
import { OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES } from '../segment/index-plan.js'
import {
  type RollFacts,
  type RollLimits,
  type RollReason,
  rollReason,
  rollRoom,
} from '../segment/roll-reason.js'
import type { Segment } from '../segment/segment.js'
import { maxSegmentMs } from './due-roll.js'
import type { LogCore } from './log-core.js'
import { activeSegment } from './log-state.js'

/** The active segment and its next roll. Sizes in bytes, times in ms since the epoch. */
export interface RollExplanation {
  readonly baseOffset: bigint
  /** What an append of the smallest batch, of this moment, would do: `none`, or why it would roll first. */
  readonly nextAppend: RollReason
  /** `segment.bytes`, and the largest batch that still fits. */
  readonly segmentBytes: number
  readonly bytesLeft: number
  /** Null: an empty segment does not age, or `segment.ms` has no end. */
  readonly time: {
    /** Whether appends' timestamps count, or the clock: where the first batch has no timestamp. */
    readonly countedBy: 'records' | 'clock'
    /** An append that is later rolls. */
    readonly untilMs: number
    /** From this moment; negative where it has passed. */
    readonly leftMs: number
    /** What `segment.jitter.ms` takes off; null where only the log's owner knows. */
    readonly jitterMs: number | null
  } | null
  readonly offsetIndexEntriesLeft: number
  readonly timeIndexEntriesLeft: number
  /** The largest offset that the segment can hold. */
  readonly lastOffset: bigint
}

/** A batch of one empty record. */
const SMALLEST_BATCH_BYTES = RECORDS_AT + 7

/** Looks into the active segment's indexes, and once into its first batch's header. */
export function explainRoll(core: LogCore, nowMs: number): RollExplanation {
  const { config, state } = core
  const facts = rollFactsOf(core, activeSegment(state))
  const limits: RollLimits = { maxSegmentBytes: segmentBytesOf(config), maxSegmentMs: maxSegmentMs(config) }
  const room = rollRoom(facts, limits)
  return {
    baseOffset: facts.baseOffset,
    nextAppend: rollReason(facts, {
      ...limits,
      appendBytes: SMALLEST_BATCH_BYTES,
      lastOffset: state.logEndOffset,
      maxTimestamp: BigInt(nowMs),
      nowMs,
    }),
    segmentBytes: limits.maxSegmentBytes,
    bytesLeft: room.bytesLeft,
    time: timeOf(core, room.time, facts, nowMs),
    offsetIndexEntriesLeft: room.offsetEntriesLeft,
    timeIndexEntriesLeft: room.timeEntriesLeft,
    lastOffset: room.lastOffset,
  }
}

function timeOf(
  { config, env }: LogCore,
  time: ReturnType<typeof rollRoom>['time'],
  { rollJitterMs }: RollFacts,
  nowMs: number,
): RollExplanation['time'] {
  if (time === undefined || !Number.isFinite(time.untilMs)) return null
  const isKnown = !env.readOnly || config.segmentJitterMs === 0
  return { ...time, leftMs: time.untilMs - nowMs, jitterMs: isKnown ? rollJitterMs : null }
}

/** Of a log that is only read, files may be trimmed, and the owner's jitter and times are not known. */
function rollFactsOf({ config, env }: LogCore, segment: Segment): RollFacts {
  if (!env.readOnly) return segment
  const { segmentIndexBytes } = config
  const { baseOffset, sizeInBytes, firstTimestamp, offsetEntries, timeEntries } = segment
  return {
    ...{ baseOffset, sizeInBytes, firstTimestamp, offsetEntries, timeEntries },
    createdMs: segment.modifiedMs,
    rollJitterMs: 0,
    offsetCapacity: Math.max(offsetEntries, Math.floor(segmentIndexBytes / OFFSET_ENTRY_BYTES)),
    timeCapacity: Math.max(timeEntries, Math.floor(segmentIndexBytes / TIME_ENTRY_BYTES)),
  }
}
