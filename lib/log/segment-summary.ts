/**
 * What users are shown of a segment.
 */

import { jsonable } from '../base/jsonable.js'
import { OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES } from '../segment/index-plan.js'
import type { LogState } from './log-state.js'

export interface SegmentSummary {
  readonly baseOffset: bigint
  /** First offset of the next segment; the log's end for the active one. */
  readonly nextOffset: bigint
  /** Bytes of records in the `.log`. */
  readonly sizeInBytes: number
  readonly offsetIndexEntries: number
  readonly timeIndexEntries: number
  /** Length of the index files; of the active segment what they are given when it is appended to. */
  readonly offsetIndexBytes: number
  readonly timeIndexBytes: number
  /** Largest timestamp of its records; -1 where none has one. */
  readonly maxTimestamp: bigint
  readonly active: boolean
}

/** Base offset and bytes of records of each segment; opens no file. */
export function segmentSizes(state: LogState): { baseOffset: bigint; sizeInBytes: number }[] {
  return state.segments.map(({ baseOffset, sizeInBytes }) => jsonable({ baseOffset, sizeInBytes }))
}

export function summarize(state: LogState): SegmentSummary[] {
  return state.segments.map((segment, index) => {
    const { offsetEntries, offsetCapacity, timeEntries, timeCapacity } = segment
    return jsonable({
      baseOffset: segment.baseOffset,
      nextOffset: state.segments[index + 1]?.baseOffset ?? state.logEndOffset,
      sizeInBytes: segment.sizeInBytes,
      offsetIndexEntries: offsetEntries,
      timeIndexEntries: timeEntries,
      offsetIndexBytes: offsetCapacity * OFFSET_ENTRY_BYTES,
      timeIndexBytes: timeCapacity * TIME_ENTRY_BYTES,
      maxTimestamp: segment.maxTimestamp().timestamp,
      active: index === state.segments.length - 1,
    })
  })
}
