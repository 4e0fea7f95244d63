/**
 * Cutting a log: `truncateTo` takes records from its end, `deleteRecordsBefore`
 * moves its start. Follows Kafka's UnifiedLog and LocalLog.
 */

import { INT64_MAX, type Int64Input, toInt64 } from '../base/int64.js'
import { Segment } from '../segment/segment.js'
import { deleteSegments } from './deletion.js'
import { NO_EPOCHS } from './leader-epochs.js'
import type { LogCore } from './log-core.js'
import { asLogError } from './log-error.js'
import { activeSegment, type LogOffsets, type LogState, minOffset, startingAt } from './log-state.js'
import { rebuildProducers } from './producers/rebuild.js'
import { removeSnapshot } from './producers/snapshot-files.js'
import { writeTransactionIndex } from './producers/transaction-index-files.js'
import { offsetOutOfRange } from './read-plan.js'
import { roll } from './roll.js'
import { newFileOptions } from './segment-options.js'
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
  /** Writes offsets into the directory's checkpoints. */
  saveOffsets(offsets: LogOffsets): Promise<void>
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
    await core.during(() => records.saveEpochs())
    return false
  }
  await core.whileTruncating(async () => {
    // A segment made anew could bear the name of one that retention is taking away, and as long as those can come back
    // the checkpoint has to say where the log starts.
    await core.renamings.ended()
    core.assertUsable()
    // Before bytes can be written anew below the old recovery point; where it fails nothing has changed yet.
    await records.saveOffsets(lowered(core.state, offset))
    await lowerFirstDirty(core, planTruncation(core.state.segments, offset).keep.at(-1)?.baseOffset ?? offset)
    core.assertUsable()
    try {
      const plan = planTruncation(core.state.segments, offset)
      await (plan.keep.length === 0 ? startAnew(core, offset, plan) : cut(core, offset, plan))
      await records.saveEpochs()
    } catch (error) {
      core.goOffline(asLogError(error))
      throw error
    }
  })
  return true
}

/** What is appended from here on was not cleaned. Kafka's maybeTruncateCheckpoint, to the base of what is the active segment then. */
async function lowerFirstDirty(core: LogCore, baseOffset: bigint): Promise<void> {
  const { checkpoint } = core.cleaning
  if (checkpoint !== undefined && checkpoint > baseOffset) await core.saveFirstDirtyOffset(baseOffset)
}

/** Every segment lies above: all go, and an empty one begins at `offset`. */
async function startAnew(core: LogCore, offset: bigint, plan: TruncationPlan): Promise<void> {
  const fresh = Segment.create(core.segmentOptions(offset), newFileOptions(core.config))
  core.directoryChanges++
  core.publish({ ...lowered(core.state, offset), segments: [fresh], generation: core.state.generation + 1 })
  core.endOfRecords = offset
  // Its name has to be there before the others are gone.
  await core.env.flushLane.flushPath(core.env.directory)
  await removeSnapshots(core)
  await deleteSegments(core, plan.remove, { oneByOne: true })
  core.epochs = NO_EPOCHS
  await forgetProducers(core, offset)
}

async function cut(core: LogCore, offset: bigint, plan: TruncationPlan): Promise<void> {
  const { env } = core
  const published = () => core.publish({ generation: core.state.generation + 1 })
  // From here on nobody reads at or above `offset`.
  core.publish({ ...lowered(core.state, offset), segments: plan.keep, generation: core.state.generation + 1 })
  await deleteSegments(core, plan.remove, { oneByOne: true })
  const active = activeSegment(core.state)
  const { sizeInBytes } = active
  active.truncateTo(offset, core.config.segmentIndexBytes, env.clock.nowMs())
  core.space.gaveBack(sizeInBytes - active.sizeInBytes)
  // Whoever was reading what is cut has to look again, and once more when the largest timestamp is known.
  published()
  const { nextOffset, maxTimestamp } = await readTail(env.readLane, active)
  active.resetIndexState(maxTimestamp)
  published()
  core.endOfRecords = nextOffset
  await active.flush(env.flushLane)
  core.epochs = core.epochs.truncatedFromEnd(offset)
  await truncateProducers(core, active, offset)
  await showEnd(core, core.state.logStartOffset)
}

/** At once, as in Kafka: no reader needs them. That they are gone is on disk when the segments are, and not before. */
async function removeSnapshots({ env, producers, sideFiles }: LogCore): Promise<void> {
  await sideFiles.idle()
  for (const snapshot of [...producers.snapshots]) await removeSnapshot(env, producers, snapshot)
}

/** Nothing is left that anybody wrote. */
async function forgetProducers(core: LogCore, offset: bigint): Promise<void> {
  const { env, producers } = core
  producers.table.clear()
  producers.table.mapEndOffset = offset
  producers.lastSnapshotOffset = 0n
  await rebuildProducers(producers, env, core.state, offset)
  publishStable(core)
}

/** The table as it was at `offset`, from a snapshot and the batches that are left. */
async function truncateProducers(core: LogCore, active: Segment, offset: bigint): Promise<void> {
  const { env, producers } = core
  await core.sideFiles.idle()
  if (producers.aborted.truncate(active, offset))
    await writeTransactionIndex(env, active, producers.aborted.of(active))
  await rebuildProducers(producers, env, core.state, offset)
  publishStable(core)
}

/** A rebuild does not know yet which transactions the high watermark has passed. */
function publishStable(core: LogCore): void {
  const { highWatermark, logStartOffset } = core.state
  core.producers.table.decideBelow(highWatermark)
  core.publish({ lastStableOffset: core.stableUpTo(highWatermark, logStartOffset) })
}

/** The offsets of a log that ends at `offset`. */
function lowered(state: LogState, offset: bigint): LogOffsets {
  const highWatermark = minOffset(state.highWatermark, offset)
  return {
    logStartOffset: minOffset(state.logStartOffset, offset),
    logEndOffset: offset,
    highWatermark,
    lastStableOffset: minOffset(state.lastStableOffset, highWatermark),
    recoveryPoint: minOffset(state.recoveryPoint, offset),
    durableOffset: minOffset(state.durableOffset, offset),
  }
}

/**
 * Where the records that are left end below `logStartOffset` (a truncation
 * went into a batch), an empty segment shows where the log goes on: a start
 * behind everything in the files would be taken for loss. On disk on return.
 */
async function showEnd(core: LogCore, logStartOffset: bigint): Promise<void> {
  if (core.endOfRecords >= logStartOffset) return
  const rolled = roll(core, core.state.logEndOffset, 'requested')
  core.endOfRecords = core.state.logEndOffset
  rolled.announce()
  try {
    await core.env.flushLane.flushPath(core.env.directory)
  } catch (error) {
    // A failed fsync is final.
    core.goOffline(asLogError(error))
    throw error
  }
}

/**
 * Raises the log start offset to `target`, at most to the high watermark (-1
 * stands for it); it moves once it is on disk, and the records below it are,
 * one move after the other. Whole segments below are left to retention. Gives
 * the log start offset.
 */
export async function deleteRecordsBefore(
  core: LogCore,
  target: Int64Input,
  records: Pick<TruncationRecords, 'saveOffsets'>,
): Promise<bigint> {
  core.assertWritable()
  const asked = toInt64('offset', target, -1n, INT64_MAX)
  const offset = asked === -1n ? core.state.highWatermark : asked
  checkStart(core, offset)
  await core.whileMovingStart(() => moveStart(core, offset, records))
  return core.state.logStartOffset
}

async function moveStart(
  core: LogCore,
  offset: bigint,
  records: Pick<TruncationRecords, 'saveOffsets'>,
): Promise<void> {
  // Whoever came first may have moved it farther, or cut the log.
  checkStart(core, offset)
  if (offset <= core.state.logStartOffset) return
  // The recovery point goes along, and must not reach its checkpoint before what lies below it is on disk.
  await core.durableBelow(offset)
  await showEnd(core, offset)
  checkStart(core, offset)
  await records.saveOffsets({ ...core.state, ...startingAt(core.state, offset) })
  core.assertWritable()
  core.publish(startingAt(core.state, offset))
  const { logStartOffset } = core.state
  core.producers.startAt(logStartOffset)
  core.publish({ lastStableOffset: core.stableUpTo(core.state.highWatermark, logStartOffset) })
  core.epochs = core.epochs.truncatedFromStart(logStartOffset)
  core.info(
    { logStartOffset },
    `Incremented log start offset to ${logStartOffset} due to client record deletion`,
  )
}

/** What the log may not start at must not reach its checkpoint. */
function checkStart(core: LogCore, offset: bigint): void {
  core.assertWritable()
  if (offset > core.state.highWatermark) throw offsetOutOfRange(core.env.name, offset, core.state)
}
