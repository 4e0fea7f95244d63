/**
 * Rolling: ends the active segment and makes the next one. Synchronous, as
 * part of an append; the old segment's fsync, and the snapshot of the producers
 * at the new one's base, are left to what runs behind.
 */

import type { RollReason } from '../segment/roll-reason.js'
import { Segment } from '../segment/segment.js'
import { announce } from './events.js'
import type { LogCore } from './log-core.js'
import { asLogError, isTakenBack } from './log-error.js'
import { activeSegment, maxOffset } from './log-state.js'
import { snapshotBehind } from './producers/snapshot-files.js'
import { newFileOptions } from './segment-options.js'

/** A full segment rolls by one of the reasons of an append; the others are asked for. */
export type RollCause = RollReason | 'requested' | 'retention'

/** What a roll did: told to listeners by whoever asked for it, once the log is in order again. */
export interface Rolled {
  readonly segment: Segment
  readonly announce: () => void
}

/**
 * The new active segment begins at the larger of `expectedBaseOffset` and the
 * log's end. An empty active segment with that base takes its own place. A
 * full disk refuses the roll and leaves the log usable; any other failure
 * takes it offline.
 */
export function roll(core: LogCore, expectedBaseOffset: bigint, reason: RollCause): Rolled {
  const { state } = core
  const startedMs = core.env.clock.nowMs()
  const baseOffset = maxOffset(expectedBaseOffset, state.logEndOffset)
  const old = activeSegment(state)
  const sealedBytes = old.sizeInBytes
  try {
    const segment =
      old.baseOffset === baseOffset ? renewed(core, old) : succeeded(core, old, baseOffset, reason)
    core.producers.table.mapEndOffset = baseOffset
    snapshotBehind(core)
    core.flushBehind(baseOffset)
    core.counters.rolled(reason)
    const tookMs = core.env.clock.nowMs() - startedMs
    return {
      segment,
      announce() {
        core.info({ baseOffset, reason }, `Rolled new log segment at offset ${baseOffset} in ${tookMs} ms.`)
        announce('roll', () => ({ log: core.env.name, baseOffset, reason, sealedBytes }))
      },
    }
  } catch (error) {
    throw failedWrite(core, error)
  }
}

function renewed(core: LogCore, segment: Segment): Segment {
  segment.renew(core.segmentOptions(segment.baseOffset), core.config.segmentIndexBytes)
  return segment
}

function succeeded(core: LogCore, old: Segment, baseOffset: bigint, reason: RollCause): Segment {
  old.seal()
  const files = newFileOptions(core.config)
  const spare = core.nextFiles.take(files)
  const fresh = Segment.create(core.segmentOptions(baseOffset), { ...files, spare })
  spare?.close()
  if (reason === 'size') core.nextFiles.prepare(files)
  core.space.reserved(files.preallocateBytes)
  core.directoryChanges++
  core.publish({ segments: [...core.state.segments, fresh] })
  return fresh
}

/** What a failed write means: a full disk refuses one append, anything else ends the log's use. */
export function failedWrite(core: LogCore, error: unknown): unknown {
  const cause = asLogError(error)
  if (!isTakenBack(cause)) core.goOffline(cause)
  return cause
}
