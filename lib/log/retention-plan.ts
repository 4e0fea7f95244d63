/**
 * What retention takes from a log, and why everything else stays. Pure: from
 * facts, settings and the time to a plan. Follows UnifiedLog.deleteOldSegments:
 * the log start offset, then `retention.bytes`, then `retention.ms`, each from
 * the oldest segment on and up to the first that stays; never at or above the
 * high watermark.
 */

import type { LogConfig } from '../config/settings.js'

/** One segment, oldest first in a list. What costs a look into a file is asked for only where a rule needs it. */
export interface RetentionSegment {
  readonly baseOffset: bigint
  /** Base offset of the next segment; the log's end for the active one. */
  readonly nextOffset: bigint
  readonly isActive: boolean
  /** Bytes of records. */
  readonly sizeInBytes: number
  /** Largest timestamp of its records, -1 where none has one. */
  readonly largestTimestamp: bigint
  /** When its `.log` was last written to, ms since the epoch. */
  readonly modifiedMs: number
}

export interface RetentionFacts {
  readonly segments: readonly RetentionSegment[]
  readonly logStartOffset: bigint
  readonly highWatermark: bigint
}

export type RetentionPolicy = Pick<LogConfig, 'cleanupPolicy' | 'retentionBytes' | 'retentionMs'>

/** Why a segment goes. */
export type DeletionCause =
  | { readonly rule: 'log start offset'; readonly logStartOffset: bigint }
  | { readonly rule: 'retention.bytes'; readonly retentionBytes: number; readonly logBytesAfter: number }
  | { readonly rule: 'retention.ms'; readonly retentionMs: number; readonly basedOn: 'record' | 'file' }

export interface Deletion {
  readonly segment: RetentionSegment
  readonly cause: DeletionCause
}

export interface RetentionPlan {
  /** The log's oldest segments, in order; none where nothing is due. */
  readonly deletions: readonly Deletion[]
  /** All would go: an empty segment is rolled first. */
  readonly rollsFirst: boolean
  readonly logStartOffset: bigint
  /** Segments looked at whose records are from the future; they stay until that time has passed. */
  readonly fromFuture: readonly RetentionSegment[]
}

export function planRetention(facts: RetentionFacts, policy: RetentionPolicy, nowMs: number): RetentionPlan {
  const { segments } = facts
  const fromFuture: RetentionSegment[] = []
  const deletions: Deletion[] = []
  for (const rule of rulesOf(facts, policy, nowMs, fromFuture)) {
    for (const segment of segments.slice(deletions.length)) {
      const cause = isDeletable(facts, segment) ? rule(segment) : undefined
      if (cause === undefined) break
      deletions.push({ segment, cause })
    }
  }
  const last = deletions.at(-1)?.segment
  const start = last === undefined ? facts.logStartOffset : last.nextOffset
  return {
    deletions,
    rollsFirst: deletions.length > 0 && deletions.length === segments.length,
    logStartOffset: start > facts.logStartOffset ? start : facts.logStartOffset,
    fromFuture,
  }
}

/** Settings aside: nothing above the high watermark goes, and an empty active segment is no use to delete. */
export function isDeletable({ highWatermark }: RetentionFacts, segment: RetentionSegment): boolean {
  if (segment.nextOffset > highWatermark) return false
  return !(segment.isActive && segment.sizeInBytes === 0)
}

/** Why `segment` goes, or undefined. Asked from the oldest segment on that is left, up to the first that stays. */
type Rule = (segment: RetentionSegment) => DeletionCause | undefined

/** The rules that a policy has, in Kafka's order. Without `delete` only the start offset counts. */
function rulesOf(
  facts: RetentionFacts,
  { cleanupPolicy, retentionBytes, retentionMs }: RetentionPolicy,
  nowMs: number,
  fromFuture: RetentionSegment[],
): Rule[] {
  const rules = [startOffsetRule(facts.logStartOffset)]
  if (!cleanupPolicy.includes('delete')) return rules
  if (retentionBytes >= 0) rules.push(sizeRule(facts.segments, retentionBytes))
  if (retentionMs >= 0) rules.push(timeRule(retentionMs, nowMs, fromFuture))
  return rules
}

function startOffsetRule(logStartOffset: bigint): Rule {
  return ({ isActive, nextOffset }) =>
    !isActive && nextOffset <= logStartOffset ? { rule: 'log start offset', logStartOffset } : undefined
}

function sizeRule(segments: readonly RetentionSegment[], retentionBytes: number): Rule {
  /** What the log has when the rules before have taken theirs. */
  let logBytes: number | undefined
  return (segment) => {
    logBytes ??= bytesOf(segments.slice(segments.indexOf(segment)))
    const logBytesAfter = logBytes - segment.sizeInBytes
    if (logBytesAfter < retentionBytes) return undefined
    logBytes = logBytesAfter
    return { rule: 'retention.bytes', retentionBytes, logBytesAfter }
  }
}

export function bytesOf(segments: readonly { readonly sizeInBytes: number }[]): number {
  return segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
}

function timeRule(retentionMs: number, nowMs: number, fromFuture: RetentionSegment[]): Rule {
  return (segment) => {
    const { anchorMs, basedOn } = anchorOf(segment)
    if (nowMs < anchorMs) fromFuture.push(segment)
    return nowMs - anchorMs > retentionMs ? { rule: 'retention.ms', retentionMs, basedOn } : undefined
  }
}

/** What a segment's age is counted from: its newest record, or its file's time where no record has a timestamp. */
export function anchorOf({ largestTimestamp, modifiedMs }: RetentionSegment): {
  readonly anchorMs: number
  readonly basedOn: 'record' | 'file'
} {
  if (largestTimestamp >= 0n) return { anchorMs: Number(largestTimestamp), basedOn: 'record' }
  return { anchorMs: modifiedMs, basedOn: 'file' }
}
