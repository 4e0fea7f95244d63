/**
 * The plan of `cleanable` for a log as it is now, and what it reads of the
 * disk before.
 */

import type { LogCore } from '../log-core.js'
import { activeSegment } from '../log-state.js'
import {
  type CleanableFacts,
  type CleanablePlan,
  type CleanablePolicy,
  planCleanable,
  sealedFrom,
} from './cleanable.js'

/** Whether anything of the log may be cleaned away: it compacts, and its settings are known. */
export function isCompacted({ config, mayDelete }: Pick<LogCore, 'config' | 'mayDelete'>): boolean {
  return mayDelete && config.cleanupPolicy.includes('compact')
}

/** May read time indexes of sealed segments, and the first batches of those for which `loadFacts` was not awaited before. */
export function cleanablePlan(
  core: LogCore,
  nowMs: number,
  policy: CleanablePolicy = core.config,
): CleanablePlan {
  return planCleanable(factsOf(core), policy, nowMs)
}

/** Reads off this turn what a plan needs of the disk and is not known yet. */
export async function loadFacts(core: LogCore): Promise<void> {
  const { minCompactionLagMs, maxCompactionLagMs } = core.config
  const [needsFirst, needsLargest] = [Number.isFinite(maxCompactionLagMs), minCompactionLagMs > 0]
  if (!needsFirst && !needsLargest) return
  const { segments, logStartOffset } = core.state
  for (const segment of sealedFrom(segments, core.cleaning.checkpoint ?? logStartOffset)) {
    if (needsFirst) await segment.readFirstTimestamp(core.env.readLane)
    if (!needsLargest) continue
    // One time index a turn: each is opened, and closed again.
    segment.maxTimestamp()
    await new Promise<void>((resolve) => core.env.clock.soon(resolve))
  }
}

function factsOf({ state, cleaning }: LogCore): CleanableFacts {
  const { logStartOffset, lastStableOffset, logEndOffset, segments } = state
  const active = activeSegment(state)
  return {
    logStartOffset,
    lastStableOffset,
    logEndOffset,
    checkpoint: cleaning.checkpoint,
    segments: segments.map((segment) => ({
      baseOffset: segment.baseOffset,
      sizeInBytes: segment.sizeInBytes,
      get largestTimestamp() {
        const { timestamp } = segment.maxTimestamp()
        // Without a time of its records it is as old as its file, as in Kafka.
        return timestamp >= 0n ? timestamp : BigInt(Math.floor(segment.modifiedMs))
      },
      get firstTimestamp() {
        return segment === active ? undefined : segment.firstTimestamp
      },
    })),
  }
}
