/**
 * Whether batches need a new segment, by the log's settings.
 */

import { segmentBytesOf } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { type RollReason, rollReason } from '../segment/roll-reason.js'
import { lastOffsetOf } from '../segment/segment-append.js'
import type { BatchesToAppend } from './batches-to-append.js'
import type { LogCore } from './log-core.js'
import { activeSegment } from './log-state.js'

/** Why the active segment rolls before these batches; `none` where they fit. */
export function dueRoll({ config, state }: LogCore, batches: BatchesToAppend, nowMs: number): RollReason {
  return rollReason(activeSegment(state), {
    appendBytes: batches.length,
    lastOffset: lastOffsetOf(batches),
    maxTimestamp: batches.maxTimestamp,
    nowMs,
    maxSegmentBytes: segmentBytesOf(config),
    maxSegmentMs: maxSegmentMs(config),
  })
}

/** A compacted log rolls early enough for `max.compaction.lag.ms`. */
export function maxSegmentMs(config: LogConfig): number {
  if (!config.cleanupPolicy.includes('compact')) return config.segmentMs
  return Math.min(config.segmentMs, config.maxCompactionLagMs)
}
