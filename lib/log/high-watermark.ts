/**
 * The high watermark where the host moves it, because the host replicates.
 */

import { type Int64Input, toInt64 } from '../base/int64.js'
import { UnsupportedError } from '../errors.js'
import type { LogCore } from './log-core.js'

/** `ERR_UNSUPPORTED` for a log that moves its mark itself; RangeError below the mark as it is and above the log's end. */
export function setHighWatermark(core: LogCore, offset: Int64Input): void {
  core.assertWritable()
  const { state, env } = core
  if (env.highWatermark !== 'manual') {
    throw new UnsupportedError(
      'ERR_UNSUPPORTED',
      `${env.name} moves its high watermark itself; open it with highWatermark: 'manual'`,
    )
  }
  const highWatermark = toInt64('offset', offset, state.highWatermark, state.logEndOffset)
  core.producers.table.decideBelow(highWatermark)
  core.publish({ highWatermark, lastStableOffset: core.stableUpTo(highWatermark, state.logStartOffset) })
}
