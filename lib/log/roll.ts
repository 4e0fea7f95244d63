/**
 * Rolling: ends the active segment and makes the next one. Synchronous, as
 * part of an append; the old segment's fsync is left to the flusher.
 */

import { PartitionLogError } from '../errors.js'
import type { RollReason } from '../segment/roll-reason.js'
import { Segment } from '../segment/segment.js'
import { announce } from './events.js'
import type { LogCore } from './log-core.js'
import { activeSegment, maxOffset } from './log-state.js'

/**
 * The new active segment begins at the larger of `expectedBaseOffset` and the
 * log's end. An empty active segment with that base is made anew. A full disk
 * refuses the roll and leaves the log usable; any other failure takes it
 * offline.
 */
export function roll(core: LogCore, expectedBaseOffset: bigint, reason: RollReason | 'requested'): Segment {
  const { state } = core
  const baseOffset = maxOffset(expectedBaseOffset, state.logEndOffset)
  const old = activeSegment(state)
  try {
    const replaced = old.baseOffset === baseOffset
    if (replaced) old.closeFiles().catch((error) => core.goOffline(asLogError(error)))
    else old.seal()
    const fresh = Segment.create(core.segmentOptions(baseOffset), core.newFileOptions())
    core.directoryChanges++
    const kept = replaced ? state.segments.slice(0, -1) : state.segments
    core.publish({ segments: [...kept, fresh] })
    core.flushBehind(baseOffset)
    announce('roll', () => ({ log: core.env.name, baseOffset, reason, sealedBytes: old.sizeInBytes }))
    return fresh
  } catch (error) {
    throw failedWrite(core, error)
  }
}

/** What a failed write means: a full disk refuses one append, anything else ends the log's use. */
export function failedWrite(core: LogCore, error: unknown): unknown {
  const cause = asLogError(error)
  if (cause.code !== 'ERR_DISK_FULL' || (cause as { damaged?: boolean }).damaged === true)
    core.goOffline(cause)
  return cause
}

export function asLogError(error: unknown): PartitionLogError {
  if (error instanceof PartitionLogError) return error
  return new PartitionLogError('ERR_IO', error instanceof Error ? error.message : String(error), {}, error)
}
