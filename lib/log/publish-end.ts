/**
 * The log's end after an append, and what moves with it.
 */

import type { LogCore } from './log-core.js'
import { endingAt } from './log-state.js'

/** Everything below `logEndOffset` is in the log. */
export function publishEnd(core: LogCore, logEndOffset: bigint): void {
  core.endOfRecords = logEndOffset
  const { state } = core
  if (core.env.highWatermark === 'auto') publishAll(core, logEndOffset)
  // Under a mark that stays, what is stable stays too.
  else core.become(endingAt(state, logEndOffset, state.highWatermark, state.lastStableOffset))
  const { flushMessages, flushMs } = core.config
  // Arithmetic with 64 bits for nothing would cost an append time.
  const mayBeDue = flushMessages !== Number.POSITIVE_INFINITY
  if (mayBeDue && logEndOffset - state.recoveryPoint >= flushMessages) core.flushBehind(logEndOffset)
  else if (flushMs !== Number.POSITIVE_INFINITY) flushWithin(core, flushMs)
}

/** The high watermark goes along. */
function publishAll(core: LogCore, logEndOffset: bigint): void {
  core.producers.table.decideBelow(logEndOffset)
  const stable = core.stableUpTo(logEndOffset, core.state.logStartOffset)
  core.become(endingAt(core.state, logEndOffset, logEndOffset, stable))
}

/** What is in the log now is asked to be flushed once `ms` have passed, unless an earlier call has seen to that. */
function flushWithin(core: LogCore, ms: number): void {
  if (core.flushIsDue) return
  core.flushIsDue = true
  core.later(ms, () => {
    core.flushIsDue = false
    const { logEndOffset, durableOffset } = core.state
    if (core.condition === 'open' && durableOffset < logEndOffset) core.flushBehind(logEndOffset)
  })
}
