/**
 * One retention check of a log: plans, moves the log start offset, then takes
 * the segments off the disk. The start moves in one synchronous step; reads
 * that have begun finish, new ones below it are out of range.
 */

import { IoError } from '../errors.js'
import { NO_TIMESTAMP } from '../format/layout.js'
import type { Segment } from '../segment/segment.js'
import { deleteSegments } from './deletion.js'
import { announce } from './events.js'
import type { LogCore } from './log-core.js'
import { asLogError } from './log-error.js'
import { activeSegment, type LogState, maxOffset, startingAt } from './log-state.js'
import {
  type Deletion,
  planRetention,
  type RetentionFacts,
  type RetentionPlan,
  type RetentionSegment,
} from './retention-plan.js'
import { deletionFields, deletionText, futureText, segmentText } from './retention-text.js'
import { type Rolled, roll } from './roll.js'

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
  // A segment that is just being swapped in does not have its name yet.
  if (core.renamings.isRunning) {
    await core.renamings.ended()
    core.assertWritable()
  }
  const nowMs = core.env.clock.nowMs()
  const plan = planFor(
    core,
    retentionFacts(core.state, (segment, error) => tellMissing(core, segment, error)),
    nowMs,
  )
  if (plan === undefined) return { deletions: [], logStartOffset: core.state.logStartOffset }
  core.counters.lastRetentionCheckMs = nowMs
  for (const segment of plan.fromFuture) core.warn({ baseOffset: segment.baseOffset }, futureText(segment))
  if (plan.deletions.length === 0) return { deletions: [], logStartOffset: plan.logStartOffset }
  const rolled = plan.rollsFirst ? rollForAll(core, plan) : undefined
  const deletions = plan.rollsFirst && rolled === undefined ? plan.deletions.slice(0, -1) : plan.deletions
  const texts = deletions.map(({ segment }) => segmentText(segment))
  const gone = takeOut(core, deletions, rolled)
  try {
    // The new segment's name must not get lost where the old ones' do: the log would begin anew at offset 0.
    if (rolled !== undefined) await core.env.flushLane.flushPath(core.env.directory)
    await deleteSegments(core, gone, { texts })
  } catch (error) {
    core.goOffline(asLogError(error))
    throw error
  }
  await saveEpochs(core, records)
  return { deletions, logStartOffset: core.state.logStartOffset }
}

/** What a check at `nowMs` does; undefined where nothing may be deleted. */
export function planFor(core: LogCore, facts: RetentionFacts, nowMs: number): RetentionPlan | undefined {
  return core.mayDelete ? planRetention(facts, core.config, nowMs) : undefined
}

/** Undefined where the disk is too full for a new segment: the active one has to stay, and the others go all the same. */
function rollForAll(core: LogCore, plan: RetentionPlan): Rolled | undefined {
  try {
    return roll(core, 0n, 'retention')
  } catch (error) {
    if (asLogError(error).code !== 'ERR_DISK_FULL' || plan.deletions.length === 1) throw error
    return undefined
  }
}

/** On a full disk the file is left as it is, with epochs from below the log's start: the next flush tries again. */
async function saveEpochs(core: LogCore, records: RetentionRecords): Promise<void> {
  try {
    await records.saveEpochs()
  } catch (error) {
    const { code, message } = asLogError(error)
    if (code !== 'ERR_DISK_FULL') throw error
    core.warn({ error }, `leader epochs are not saved for now: ${message}`)
  }
}

/** The synchronous part: from here on the oldest segments are not the log's any more. */
function takeOut(
  core: LogCore,
  deletions: readonly Deletion[],
  rolled: Rolled | undefined,
): readonly Segment[] {
  const { segments } = core.state
  const gone = segments.slice(0, deletions.length)
  const logStartOffset = maxOffset(core.state.logStartOffset, deletions.at(-1)?.segment.nextOffset ?? 0n)
  const before = core.state.logStartOffset
  core.publish({ ...startingAt(core.state, logStartOffset), segments: segments.slice(deletions.length) })
  core.epochs = core.epochs.truncatedFromStart(logStartOffset)
  if (logStartOffset > before) core.producers.startAt(logStartOffset)
  core.publish({ lastStableOffset: core.stableUpTo(core.state.highWatermark, logStartOffset) })
  rolled?.announce()
  if (logStartOffset > before) {
    core.info({ logStartOffset }, `Incremented log start offset to ${logStartOffset} due to segment deletion`)
  }
  for (const deletion of deletions) core.info(deletionFields(deletion), deletionText(deletion))
  announce('retention', () => ({ log: core.env.name, logStartOffset, deletions }))
  return gone
}

/** What somebody removed by hand keeps no other segment from going; by what it is judged then is told. */
function tellMissing(core: LogCore, { baseOffset }: Segment, error: IoError): void {
  core.warn(
    { baseOffset, error },
    `the segment at ${baseOffset} is as old as its file for want of its time index: ${error.message}`,
  )
}

/** Told of a segment whose time index is not there: then its records count as having no timestamps, as in Kafka. */
export type MissingIndex = (segment: Segment, error: IoError) => void

/** Without `onMissing` a time index that is not there is an error of whoever asks for a segment's largest timestamp. */
export function retentionFacts(state: LogState, onMissing?: MissingIndex): RetentionFacts {
  const active = activeSegment(state)
  return {
    logStartOffset: state.logStartOffset,
    highWatermark: state.highWatermark,
    segments: state.segments.map((segment, index) =>
      retentionSegment(
        segment,
        state.segments[index + 1]?.baseOffset ?? state.logEndOffset,
        segment === active,
        onMissing,
      ),
    ),
  }
}

function retentionSegment(
  segment: Segment,
  nextOffset: bigint,
  isActive: boolean,
  onMissing: MissingIndex | undefined,
): RetentionSegment {
  const { baseOffset, sizeInBytes, modifiedMs } = segment
  let largestTimestamp: bigint | undefined
  return {
    baseOffset,
    nextOffset,
    isActive,
    sizeInBytes,
    // Whole ms, as Kafka has them.
    modifiedMs: Math.floor(modifiedMs),
    // Looked up in the time index, and only where somebody asks.
    get largestTimestamp() {
      largestTimestamp ??= largestTimestampOf(segment, onMissing)
      return largestTimestamp
    },
  }
}

function largestTimestampOf(segment: Segment, onMissing: MissingIndex | undefined): bigint {
  try {
    return segment.maxTimestamp().timestamp
  } catch (error) {
    const isMissing = error instanceof IoError && error.errno === 'ENOENT'
    if (!isMissing || onMissing === undefined) throw error
    onMissing(segment, error)
    return NO_TIMESTAMP
  }
}
