/**
 * Cutting a log: `truncateTo` takes records from its end, `deleteRecordsBefore`
 * moves its start. Follows Kafka's UnifiedLog and LocalLog.
 */

import { INT64_MAX, type Int64Input, toInt64 } from '../base/int64.js'
import { Segment } from '../segment/segment.js'
import { deleteSegments } from './deletion.js'
import { NO_EPOCHS } from './leader-epochs.js'
import type { LogCore } from './log-core.js'
import { activeSegment, maxOffset, minOffset } from './log-state.js'
import { offsetOutOfRange } from './read-plan.js'
import { asLogError, roll } from './roll.js'
import { readTail } from './tail.js'

/** What happens to the segments when a log is cut at an offset. */
export interface TruncationPlan {
  /** Whole segments to delete, the highest first: a stop in between leaves a shorter log, never a hole. */
  readonly remove: readonly Segment[]
  /** Those that stay; the last is cut at the offset. None: the log starts anew at the offset. */
  readonly keep: readonly Segment[]
}

/** Pure. A segment that begins at `offset` stays, emptied, as in Kafka. */
export function planTruncation(segments: readonly Segment[], offset: bigint): TruncationPlan {
  return {
    remove: segments.filter(({ baseOffset }) => baseOffset > offset).reverse(),
    keep: segments.filter(({ baseOffset }) => baseOffset <= offset),
  }
}

/** What a truncation makes durable besides the segments. */
export interface TruncationRecords {
  /** The log's offsets, into the directory's checkpoints: before bytes can be written anew below the old recovery point. */
  saveOffsets(): Promise<void>
  saveEpochs(): Promise<void>
}

/** True where something was cut. Appends are refused until it resolves. */
export async function truncateTo(
  core: LogCore,
  target: Int64Input,
  records: TruncationRecords,
): Promise<boolean> {
  core.assertWritable()
  const offset = toInt64('offset', target, 0n, INT64_MAX)
  if (offset >= core.state.logEndOffset) {
    core.epochs = core.epochs.truncatedFromEnd(core.state.logEndOffset)
    await records.saveEpochs()
    return false
  }
  await core.whileTruncating(async () => {
    try {
      const plan = planTruncation(core.state.segments, offset)
      await (plan.keep.length === 0
        ? startAnew(core, offset, plan, records)
        : cut(core, offset, plan, records))
    } catch (error) {
      core.goOffline(asLogError(error))
      throw error
    }
  })
  return true
}

/** Every segment lies above: all go, and an empty one begins at `offset`. */
async function startAnew(
  core: LogCore,
  offset: bigint,
  plan: TruncationPlan,
  records: TruncationRecords,
): Promise<void> {
  const fresh = Segment.create(core.segmentOptions(offset), core.newFileOptions())
  core.directoryChanges++
  publishEnd(core, offset, [fresh])
  await records.saveOffsets()
  await deleteSegments(core, plan.remove)
  core.epochs = NO_EPOCHS
  await records.saveEpochs()
}

async function cut(
  core: LogCore,
  offset: bigint,
  plan: TruncationPlan,
  records: TruncationRecords,
): Promise<void> {
  const { env } = core
  publishEnd(core, offset, plan.keep)
  await records.saveOffsets()
  await deleteSegments(core, plan.remove)
  const active = activeSegment(core.state)
  active.truncateTo(offset, core.config.segmentIndexBytes, env.clock.nowMs())
  const { nextOffset, maxTimestamp } = await readTail(env.readLane, active)
  active.resetIndexState(maxTimestamp)
  // Whoever read the bytes that were cut between the new end and here has to look again.
  core.publish({ generation: core.state.generation + 1 })
  const { files, flushed } = active.unflushed()
  await env.flushLane.flush(files)
  flushed()
  // What is left ends below the log's start: an empty segment has to show where the log goes on.
  if (nextOffset < core.state.logStartOffset) {
    const rolled = roll(core, offset, 'requested')
    await env.flushLane.flushPath(env.directory)
    rolled.announce()
  }
  core.epochs = core.epochs.truncatedFromEnd(offset)
  await records.saveEpochs()
}

/** From here on nobody reads at or above `offset`. */
function publishEnd(core: LogCore, offset: bigint, segments: readonly Segment[]): void {
  const { state } = core
  const highWatermark = minOffset(state.highWatermark, offset)
  core.publish({
    segments,
    generation: state.generation + 1,
    logStartOffset: minOffset(state.logStartOffset, offset),
    logEndOffset: offset,
    highWatermark,
    lastStableOffset: minOffset(state.lastStableOffset, highWatermark),
    recoveryPoint: minOffset(state.recoveryPoint, offset),
    durableOffset: minOffset(state.durableOffset, offset),
  })
}

/**
 * Raises the log start offset to `target`, at most to the high watermark (-1
 * stands for it). Whole segments below are deleted by retention. The caller
 * makes the new start durable.
 */
export function deleteRecordsBefore(core: LogCore, target: Int64Input): bigint {
  core.assertWritable()
  const { state } = core
  const asked = toInt64('offset', target, -1n, INT64_MAX)
  const offset = asked === -1n ? state.highWatermark : asked
  if (offset > state.highWatermark) throw offsetOutOfRange(core.env.name, offset, state)
  const logStartOffset = maxOffset(state.logStartOffset, offset)
  core.publish({
    logStartOffset,
    lastStableOffset: maxOffset(state.lastStableOffset, logStartOffset),
    recoveryPoint: maxOffset(state.recoveryPoint, logStartOffset),
  })
  core.epochs = core.epochs.truncatedFromStart(logStartOffset)
  return logStartOffset
}
