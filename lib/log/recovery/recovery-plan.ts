/**
 * Which segments a start has to scan, and whether damage may be cut. Pure;
 * follows Kafka's LogLoader, but what was known to be on disk is never cut
 * unasked.
 */

import { INT32_MAX } from '../../base/int64.js'
import type { StoredSegment } from '../directory-plan.js'

/** Why a segment is scanned. */
export type ScanCause =
  /** The directory was not closed cleanly, and the segment reaches above the recovery point. */
  | 'unflushed'
  /** An index is not there. */
  | 'missing index'
  /** An index cannot be believed. */
  | 'corrupt index'
  /** Its end was read and is not sound. */
  | 'bad tail'
  /** The next segment begins more than 31 bits above this one: its offsets may not fit its index. */
  | 'wide'

export interface SegmentToScan {
  readonly segment: StoredSegment
  readonly cause: ScanCause
}

export interface StartFacts {
  readonly segments: readonly StoredSegment[]
  /** The directory had its marker. */
  readonly wasClean: boolean
  /** What the checkpoint says; undefined where it says nothing. */
  readonly recoveryPoint: bigint | undefined
}

/** By rising base offset. An index that is there but wrong is found by opening it, not here. */
export function planScans({ segments, wasClean, recoveryPoint = 0n }: StartFacts): SegmentToScan[] {
  const from = wasClean ? segments.length : firstUnflushed(segments, recoveryPoint)
  return segments.flatMap((segment, at): SegmentToScan[] => {
    if (at >= from) return [{ segment, cause: 'unflushed' }]
    if (segment.sizeInBytes === 0) return []
    if (segment.lacks.length > 0) return [{ segment, cause: 'missing index' }]
    return isWide(segment, segments[at + 1]) ? [{ segment, cause: 'wide' }] : []
  })
}

/** Index of the segment that holds the recovery point: the last that begins at or below it, or the first. */
function firstUnflushed(segments: readonly StoredSegment[], recoveryPoint: bigint): number {
  return Math.max(
    0,
    segments.findLastIndex(({ baseOffset }) => baseOffset <= recoveryPoint),
  )
}

function isWide(segment: StoredSegment, next: StoredSegment | undefined): boolean {
  return next !== undefined && next.baseOffset - segment.baseOffset > BigInt(INT32_MAX) + 1n
}

/** Where a segment stops being sound, and what is known of what lies there. */
export interface DamageFacts {
  /** Offset behind the last sound batch. */
  readonly offset: bigint
  readonly cause: ScanCause
  readonly recoveryPoint: bigint | undefined
  /** Sound batches lie behind the damage. */
  readonly hasSoundBehind: boolean
  readonly onDamage: 'refuse' | 'cut'
}

export interface CutDecision {
  readonly cuts: boolean
  readonly because: string
}

/** Above the recovery point nothing was promised: it is cut. Below, and where no recovery point is known, only what is nobody's. */
export function decideCut(damage: DamageFacts): CutDecision {
  const { offset, cause, recoveryPoint, hasSoundBehind, onDamage } = damage
  const allowed = (because: string): CutDecision => ({ cuts: true, because })
  if (cause === 'unflushed') {
    if (recoveryPoint !== undefined && offset >= recoveryPoint)
      return allowed(`at or above the recovery point ${recoveryPoint}`)
    if (recoveryPoint === undefined && !hasSoundBehind)
      return allowed('no recovery point is known, and no sound batch follows')
  }
  if (onDamage === 'cut') return allowed("onDamage is 'cut'")
  return { cuts: false, because: refusal(damage) }
}

function refusal({ cause, recoveryPoint, offset }: DamageFacts): string {
  if (cause !== 'unflushed') return 'it was known to be on disk'
  if (recoveryPoint === undefined) return 'no recovery point is known, and sound batches follow'
  return `offset ${offset} lies below the recovery point ${recoveryPoint}: it was known to be on disk`
}
