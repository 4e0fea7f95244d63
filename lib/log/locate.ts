/**
 * How an offset is turned into a position, shown step by step.
 */

import { type Int64Input, toInt64 } from '../base/int64.js'
import { Jsonable } from '../base/jsonable.js'
import type { LogCore } from './log-core.js'
import { checkReadable, planRead } from './read-plan.js'

export interface Located {
  readonly offset: bigint
  /** `.log` of the segment that was searched. */
  readonly path: string
  /** The largest index entry at or below the offset, in absolute offsets; the segment's start where there is none. */
  readonly indexEntry: { readonly offset: bigint; readonly position: number }
  /** The first batch whose last offset is not below; null where there is none (at the end of the log). */
  readonly batch: {
    readonly position: number
    readonly baseOffset: bigint
    readonly lastOffset: bigint
    readonly sizeInBytes: number
  } | null
}

/** Throws `ERR_OFFSET_OUT_OF_RANGE` outside the log. A gap at a segment's end leads on into the next. */
export function locate(core: LogCore, from: Int64Input): Located {
  core.assertUsable()
  const offset = toInt64('offset', from)
  const { state } = core
  checkReadable(core.env.name, offset, state)
  let plan = planRead(state, offset, state.logEndOffset + 1n)
  for (;;) {
    if (plan === null) throw new Error('a readable offset has a segment')
    const { segment, target, nextBaseOffset } = plan
    const { indexEntry, batch } = segment.translate(target)
    if (batch === null && nextBaseOffset !== null) {
      plan = planRead(state, nextBaseOffset, state.logEndOffset + 1n)
      continue
    }
    return new Place({
      offset,
      path: segment.logPath,
      indexEntry: {
        offset: segment.baseOffset + BigInt(indexEntry.relativeOffset),
        position: indexEntry.position,
      },
      batch: batch && {
        position: batch.position,
        baseOffset: batch.baseOffset,
        lastOffset: batch.lastOffset,
        sizeInBytes: batch.sizeInBytes,
      },
    })
  }
}

/** Printed as JSON its offsets are text. */
class Place extends Jsonable implements Located {
  readonly offset: Located['offset']
  readonly path: Located['path']
  readonly indexEntry: Located['indexEntry']
  readonly batch: Located['batch']

  constructor({ offset, path, indexEntry, batch }: Located) {
    super()
    this.offset = offset
    this.path = path
    this.indexEntry = indexEntry
    this.batch = batch
  }
}
