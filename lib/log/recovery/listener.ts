/**
 * Who wants to see the batches that a recovery reads anyway: state that is
 * rebuilt from them (of producers, say) costs no second scan.
 */

import type { BatchColumns, Lane, LogFile } from '../../backend/contract.js'

/** A segment under recovery. Its `.log` is open for reading until `recovered` has resolved. */
export interface SegmentInRecovery {
  readonly baseOffset: bigint
  readonly log: LogFile
  /** Where to read more of it, off the event loop. */
  readonly lane: Lane
}

export interface RecoveredSegment {
  readonly baseOffset: bigint
  /** Its `.log` ends here. */
  readonly sizeInBytes: number
  readonly nextOffset: bigint
}

/**
 * Called one after the other, by rising base offset; what one throws fails the
 * opening. A split begins anew: `unscanned` is then called again, and all that
 * was told before is void.
 */
export interface RecoveryListener {
  /** Base offsets of the segments that are not scanned, before the first scan. */
  unscanned?(baseOffsets: readonly bigint[]): Promise<void> | void
  begin?(segment: SegmentInRecovery): Promise<void> | void
  /** Sound batches, in order; the columns hold until what it gives is settled. */
  batches?(segment: SegmentInRecovery, batches: BatchColumns): Promise<void> | void
  /** The scan has ended and it is decided that the segment stays, before it is cut, flushed and served. */
  recovered?(segment: SegmentInRecovery, outcome: RecoveredSegment): Promise<void> | void
}

export const NO_LISTENER: RecoveryListener = {}
