/**
 * One retention check of a log: plans, moves the log start offset, then takes
 * the segments off the disk. The start moves in one synchronous step; reads
 * that have begun finish, new ones below it are out of range.
 */

import type { Segment } from '../segment/segment.js'
import { deleteSegments } from './deletion.js'
import { announce } from './events.js'
import type { LogCore } from './log-core.js'
import { activeSegment, type LogState, startingAt } from './log-state.js'
import {
  type Deletion,
  planRetention,
  type RetentionFacts,
  type RetentionPlan,
  type RetentionSegment,
} from './retention-plan.js'
import { deletionText, futureText, segmentText } from './retention-text.js'
import { asLogError, roll } from './roll.js'

/** What one check did. */
export interface RetentionResult {
  readonly deletions: readonly Deletion[]
  readonly logStartOffset: bigint
}

/** What retention makes durable besides the files' names. */
export interface RetentionRecords {
  saveEpochs(): Promise<void>
}

/**
 * On return the deleted segments' files bear their `.deleted` names, on disk;
 * they are unlinked after `file.delete.delay.ms`. Throws what renaming threw:
 * the log is offline then.
 */
export function runRetention(core: LogCore, records: RetentionRecords): Promise<RetentionResult> {
  return core.during(() => check(core, records))
}

async function check(core: LogCore, records: RetentionRecords): Promise<RetentionResult> {
  core.assertWritable()
  if (!core.env.mayDelete) return { deletions: [], logStartOffset: core.state.logStartOffset }
  const plan = planRetention(retentionFacts(core.state), core.config, core.env.clock.nowMs())
  for (const segment of plan.fromFuture) core.warn({ baseOffset: segment.baseOffset }, futureText(segment))
  const { deletions, logStartOffset } = plan
  if (deletions.length > 0) {
    const texts = deletions.map(({ segment }) => segmentText(segment))
    const gone = takeOut(core, plan)
    try {
      await deleteSegments(core, gone, texts)
    } catch (error) {
      core.goOffline(asLogError(error))
      throw error
    }
    await records.saveEpochs()
  }
  return { deletions, logStartOffset }
}

/** The synchronous part: from here on the segments are not the log's any more. */
function takeOut(core: LogCore, plan: RetentionPlan): readonly Segment[] {
  const { deletions, rollsFirst, logStartOffset } = plan
  const rolled = rollsFirst ? roll(core, 0n, 'retention') : undefined
  const { segments } = core.state
  const gone = segments.slice(0, deletions.length)
  const before = core.state.logStartOffset
  core.publish({ ...startingAt(core.state, logStartOffset), segments: segments.slice(deletions.length) })
  core.epochs = core.epochs.truncatedFromStart(logStartOffset)
  rolled?.announce()
  if (logStartOffset > before) {
    core.info({ logStartOffset }, `Incremented log start offset to ${logStartOffset} due to segment deletion`)
  }
  for (const deletion of deletions)
    core.info({ baseOffset: deletion.segment.baseOffset }, deletionText(deletion))
  announce('retention', () => ({ log: core.env.name, logStartOffset, deletions }))
  return gone
}

export function retentionFacts(state: LogState): RetentionFacts {
  const active = activeSegment(state)
  return {
    logStartOffset: state.logStartOffset,
    highWatermark: state.highWatermark,
    segments: state.segments.map((segment, index) =>
      retentionSegment(
        segment,
        state.segments[index + 1]?.baseOffset ?? state.logEndOffset,
        segment === active,
      ),
    ),
  }
}

function retentionSegment(segment: Segment, nextOffset: bigint, isActive: boolean): RetentionSegment {
  const { baseOffset, sizeInBytes, modifiedMs } = segment
  return {
    baseOffset,
    nextOffset,
    isActive,
    sizeInBytes,
    modifiedMs,
    // Looked up in the time index, and only where somebody asks.
    get largestTimestamp() {
      return segment.maxTimestamp().timestamp
    },
  }
}
