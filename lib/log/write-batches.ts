/**
 * The one way into the active segment: batches with all that was decided about
 * them are written and published in one turn.
 */

import { INT64_MAX } from '../base/int64.js'
import { InvalidBatchError } from '../errors.js'
import { lastOffsetOf } from '../segment/segment-append.js'
import { type Appended, type BatchesToAppend, noteEpoch } from './batches-to-append.js'
import { dueRoll } from './due-roll.js'
import { announce, isHeard } from './events.js'
import type { LogCore } from './log-core.js'
import { activeSegment } from './log-state.js'
import { applyProducers, planProducers } from './producers/append-producers.js'
import { publishEnd } from './publish-end.js'
import { failedWrite, roll } from './roll.js'
import { newFileOptions } from './segment-options.js'

/** What is told once the log is in order again. */
type Announcements = (() => void)[]

/**
 * Asks for room for all of it; then, for each group of batches, rolls if it
 * must, writes, publishes; then, with the log in order, tells who listens.
 * `nowMs`: when the append began, where that has just been asked.
 */
export function writeBatches(
  core: LogCore,
  groups: readonly BatchesToAppend[],
  nowMs = core.env.clock.nowMs(),
): Appended {
  checkRoom(core, groups, nowMs)
  const announcements: Announcements = []
  let written: Appended | undefined
  try {
    for (const group of groups) written = writeGroup(core, group, nowMs, announcements)
  } finally {
    for (const tell of announcements) tell()
  }
  core.counters.appended(core.env.clock.nowMs() - nowMs)
  const last = written as Appended
  if (groups.length === 1 || last.duplicate) return last
  return { ...last, baseOffset: (groups[0] as BatchesToAppend).firstOffset }
}

function checkRoom(core: LogCore, groups: readonly BatchesToAppend[], nowMs: number): void {
  let length = 0
  for (const group of groups) length += group.length
  core.space.check(length, core.config.preallocate ? bytesForRolls(core, groups, nowMs) : 0, nowMs)
}

/** What new segments take at once: one if a roll is due, and one for each group behind the first, which always needs its own. */
function bytesForRolls(core: LogCore, groups: readonly BatchesToAppend[], nowMs: number): number {
  const first = dueRoll(core, groups[0] as BatchesToAppend, nowMs) === 'none' ? 0 : 1
  return newFileOptions(core.config).preallocateBytes * (first + groups.length - 1)
}

function writeGroup(
  core: LogCore,
  batches: BatchesToAppend,
  nowMs: number,
  announcements: Announcements,
): Appended {
  const { length, firstOffset: baseOffset } = batches
  const lastOffset = lastOffsetOf(batches)
  if (lastOffset >= INT64_MAX) throw noOffsetsLeft(core, lastOffset)
  const reason = dueRoll(core, batches, nowMs)
  if (reason !== 'none') announcements.push(roll(core, batches.rollBaseOffset, reason).announce)
  const before = core.epochs
  // As in Kafka the epoch has begun and the segment has rolled even where the producer's batch is then not taken.
  for (const change of batches.epochs) core.epochs = noteEpoch(core.epochs, change)
  const planned = planProducers(core, batches.producers)
  if (planned?.duplicate !== undefined) {
    const { firstOffset, lastOffset } = planned.duplicate
    return { baseOffset: firstOffset, lastOffset, duplicate: true }
  }
  try {
    activeSegment(core.state).append(batches, nowMs)
  } catch (error) {
    core.epochs = before
    throw failedWrite(core, error)
  }
  const nextOffset = lastOffset + 1n
  core.space.took(length)
  core.counters.wrote(batches.count, length)
  applyProducers(core, planned?.plan, nextOffset)
  publishEnd(core, nextOffset)
  if (isHeard('append')) {
    const told = { log: core.env.name, baseOffset, lastOffset, sizeInBytes: length }
    announcements.push(() => announce('append', () => told))
  }
  return { baseOffset, lastOffset, duplicate: false }
}

function noOffsetsLeft({ env }: LogCore, lastOffset: bigint): InvalidBatchError {
  const message = `${env.name} would end at ${lastOffset}, behind the last offset that there is: begin a new log`
  return new InvalidBatchError('ERR_INVALID_BATCH', message, { offset: lastOffset, expected: INT64_MAX })
}
