/**
 * How much of a compacted log could be cleaned, and what stands in the way of
 * the rest. Pure. Follows Kafka's LogCleanerManager (`cleanableOffsets`,
 * `calculateCleanableBytes`, `maxCompactionDelay`) and LogToClean.
 */

import type { LogConfig } from '../../config/settings.js'
import { floorSegment, maxOffset, minOffset } from '../log-state.js'

/** One segment as the decision sees it. */
export interface CleanableSegment {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  /** Asked for only where `min.compaction.lag.ms` counts. */
  readonly largestTimestamp: bigint
  /** Of its first batch; undefined for an empty segment. Asked for only where `max.compaction.lag.ms` has an end. */
  readonly firstTimestamp: bigint | undefined
}

export interface CleanableFacts {
  readonly logStartOffset: bigint
  readonly lastStableOffset: bigint
  readonly logEndOffset: bigint
  /** By rising base offset; the last is active. */
  readonly segments: readonly CleanableSegment[]
  /** What the cleaner's checkpoint says: everything below was cleaned. */
  readonly checkpoint: bigint | undefined
}

export type CleanablePolicy = Pick<
  LogConfig,
  'cleanupPolicy' | 'minCompactionLagMs' | 'maxCompactionLagMs' | 'minCleanableDirtyRatio'
>

/** What ends the section that may be cleaned. */
export type CleaningLimit =
  /** The segment that is written to. */
  | { readonly kind: 'active segment'; readonly offset: bigint }
  /** A transaction is open, or its marker not yet below the high watermark. */
  | { readonly kind: 'last stable offset'; readonly offset: bigint }
  /** `min.compaction.lag.ms` has not passed for a record of the segment that begins here. */
  | { readonly kind: 'min.compaction.lag.ms'; readonly offset: bigint; readonly untilMs: number }

/** Why the checkpoint was not believed. */
export type CheckpointReset = 'below the log start offset' | 'above the log end offset'

export interface CleanablePlan {
  /** Everything below was cleaned. */
  readonly firstDirtyOffset: bigint
  /** Base offset of the first segment that is not cleaned. */
  readonly firstUncleanableOffset: bigint
  /** Undefined where the checkpoint stands. */
  readonly reset: CheckpointReset | undefined
  /** What ends the cleanable section, what counts most first; never empty. */
  readonly limits: readonly CleaningLimit[]
  readonly cleanBytes: number
  readonly cleanableBytes: number
  /** Bytes of all segments from the first dirty offset on. */
  readonly dirtyBytes: number
  /** Cleanable bytes of the clean and cleanable ones, 0 to 1; 0 where there are none. */
  readonly dirtyRatio: number
  /** `max.compaction.lag.ms` has passed for a dirty record: the ratio does not count. */
  readonly isOverdue: boolean
  /** A cleaner takes it, if no other log is filthier. */
  readonly isDue: boolean
}

export function planCleanable(facts: CleanableFacts, policy: CleanablePolicy, nowMs: number): CleanablePlan {
  const { firstDirtyOffset, reset } = firstDirty(facts)
  const limits = limitsOf(facts, policy, firstDirtyOffset, nowMs)
  const uncleanable = maxOffset(firstDirtyOffset, limits[0]?.offset ?? firstDirtyOffset)
  const firstUncleanableOffset = nextSegment(facts.segments, uncleanable)
  const bytes = (from: bigint, to: bigint) => bytesWithin(facts.segments, from, to)
  const cleanBytes = bytes(-1n, firstDirtyOffset)
  const cleanableBytes = bytes(minOffset(firstDirtyOffset, firstUncleanableOffset), firstUncleanableOffset)
  const totalBytes = cleanBytes + cleanableBytes
  const dirtyRatio = totalBytes === 0 ? 0 : cleanableBytes / totalBytes
  const isOverdue = overdue(facts, policy, firstDirtyOffset, nowMs)
  return {
    firstDirtyOffset,
    firstUncleanableOffset,
    reset,
    limits,
    cleanBytes,
    cleanableBytes,
    dirtyBytes: bytes(firstDirtyOffset, facts.logEndOffset + 1n),
    dirtyRatio,
    isOverdue,
    isDue:
      totalBytes > 0 && ((isOverdue && cleanableBytes > 0) || dirtyRatio > policy.minCleanableDirtyRatio),
  }
}

/** A checkpoint outside the log says nothing: the whole log may need cleaning. */
function firstDirty({ checkpoint, logStartOffset, logEndOffset }: CleanableFacts) {
  const offset = checkpoint ?? logStartOffset
  if (offset < logStartOffset)
    return { firstDirtyOffset: logStartOffset, reset: 'below the log start offset' as const }
  if (offset > logEndOffset)
    return { firstDirtyOffset: logStartOffset, reset: 'above the log end offset' as const }
  return { firstDirtyOffset: offset, reset: undefined }
}

function limitsOf(
  { segments, lastStableOffset }: CleanableFacts,
  { minCompactionLagMs }: CleanablePolicy,
  firstDirtyOffset: bigint,
  nowMs: number,
): CleaningLimit[] {
  const active = segments.at(-1) as CleanableSegment
  // At the same offset the active segment is the reason, and the last stable offset no more than where the log ends.
  const limits: CleaningLimit[] = [
    { kind: 'active segment', offset: active.baseOffset },
    { kind: 'last stable offset', offset: lastStableOffset },
  ]
  if (minCompactionLagMs > 0) {
    const recent = sealedFrom(segments, firstDirtyOffset).find(
      ({ largestTimestamp }) => largestTimestamp > BigInt(Math.floor(nowMs)) - lagOf(minCompactionLagMs),
    )
    if (recent !== undefined) {
      const untilMs = Number(recent.largestTimestamp) + minCompactionLagMs
      limits.push({ kind: 'min.compaction.lag.ms', offset: recent.baseOffset, untilMs })
    }
  }
  return limits.sort((a, b) => (a.offset < b.offset ? -1 : a.offset > b.offset ? 1 : 0))
}

/** A lag without end is longer than any time that there is. */
function lagOf(ms: number): bigint {
  return Number.isFinite(ms) ? BigInt(ms) : 2n ** 63n
}

function overdue(
  { segments }: CleanableFacts,
  { maxCompactionLagMs }: CleanablePolicy,
  firstDirtyOffset: bigint,
  nowMs: number,
): boolean {
  if (!Number.isFinite(maxCompactionLagMs)) return false
  const limit = BigInt(Math.floor(nowMs)) - BigInt(Math.max(0, maxCompactionLagMs))
  return sealedFrom(segments, firstDirtyOffset).some(
    ({ firstTimestamp }) => firstTimestamp !== undefined && firstTimestamp > 0n && firstTimestamp < limit,
  )
}

/** Segments behind the one that holds `offset`, and that one, without the active one. Kafka's nonActiveLogSegmentsFrom. */
export function sealedFrom<S extends { readonly baseOffset: bigint }>(
  segments: readonly S[],
  offset: bigint,
): readonly S[] {
  const sealed = segments.slice(0, -1)
  const active = segments.at(-1) as S
  if (offset >= active.baseOffset) return []
  return sealed.slice(Math.max(0, floorSegment(sealed, offset)))
}

/** Base offset of the first sealed segment from the one that holds `offset` on; the active one's where there is none. */
function nextSegment(segments: readonly CleanableSegment[], offset: bigint): bigint {
  return (sealedFrom(segments, offset)[0] ?? (segments.at(-1) as CleanableSegment)).baseOffset
}

/** Bytes of the segments from the one that holds `from` up to those that begin below `to`. Kafka's logSegments(from, to). */
function bytesWithin(segments: readonly CleanableSegment[], from: bigint, to: bigint): number {
  if (from >= to) return 0
  const first = Math.max(0, floorSegment(segments, from))
  let sum = 0
  for (const { baseOffset, sizeInBytes } of segments.slice(first)) {
    if (baseOffset >= to) break
    sum += sizeInBytes
  }
  return sum
}
