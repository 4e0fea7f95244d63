/**
 * The log's end after an append, and what moves with it.
 */

import type { LogCore } from './log-core.js'
import type { LogOffsets } from './log-state.js'

/** Everything below `logEndOffset` is in the log. */
export function publishEnd(core: LogCore, logEndOffset: bigint): void {
  core.endOfRecords = logEndOffset
  core.publish({ logEndOffset, ...watermarksAt(core, logEndOffset) })
  const { flushMessages, flushMs } = core.config
  if (logEndOffset - core.state.recoveryPoint >= flushMessages) core.flushBehind(logEndOffset)
  else if (flushMs !== Number.POSITIVE_INFINITY) core.flushWithin(flushMs)
}

/** With `auto` the high watermark goes along. Under a mark that stays, what is stable stays too. */
function watermarksAt(core: LogCore, highWatermark: bigint): Partial<LogOffsets> {
  if (core.env.highWatermark !== 'auto') return {}
  core.producers.table.decideBelow(highWatermark)
  return { highWatermark, lastStableOffset: core.stableUpTo(highWatermark, core.state.logStartOffset) }
}
