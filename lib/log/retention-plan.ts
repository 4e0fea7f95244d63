/**
 * What retention takes from a log, and why everything else stays. Pure: from
 * facts, settings and the time to a plan. Follows UnifiedLog.deleteOldSegments:
 * the log start offset, then `retention.bytes`, then `retention.ms`, each from
 * the oldest segment on and up to the first that stays; never at or above the
 * high watermark. What a rule says of one segment, in `RetentionRules`, is what
 * both a check and an explanation go by.
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
  for (const rule of rulesOf(facts, policy, nowMs).on) {
    for (const segment of segments.slice(deletions.length)) {
      if (barrierOf(facts, segment) !== undefined) break
      const verdict = rule(segment)
      if (!verdict.isDue) {
        if (isFromFuture(verdict.stays)) fromFuture.push(segment)
        break
      }
      deletions.push({ segment, cause: verdict.cause })
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

/** What keeps a segment whatever the settings say: an empty active one is no use to delete. */
export type Barrier =
  | { readonly rule: 'high watermark'; readonly highWatermark: bigint }
  | { readonly rule: 'active and empty' }

export function barrierOf(
  { highWatermark }: Pick<RetentionFacts, 'highWatermark'>,
  segment: RetentionSegment,
): Barrier | undefined {
  if (segment.nextOffset > highWatermark) return { rule: 'high watermark', highWatermark }
  return segment.isActive && segment.sizeInBytes === 0 ? { rule: 'active and empty' } : undefined
}

/** Why a rule leaves a segment. */
export type StayCause =
  | { readonly rule: 'log start offset'; readonly logStartOffset: bigint; readonly isActive: boolean }
  | {
      readonly rule: 'retention.bytes'
      readonly retentionBytes: number
      /** Bytes that the log would be short of `retention.bytes` without this segment and those before it. */
      readonly missingBytes: number
    }
  | {
      readonly rule: 'retention.ms'
      readonly retentionMs: number
      readonly basedOn: 'record' | 'file'
      /** How old it is; negative for a time that is still to come. */
      readonly ageMs: number
      /** It is due from the next ms on. */
      readonly untilMs: number
    }

export type Verdict =
  | { readonly isDue: true; readonly cause: DeletionCause }
  | { readonly isDue: false; readonly stays: StayCause }

/** What one rule says of one segment, whatever becomes of the others. */
export type Rule = (segment: RetentionSegment) => Verdict

export interface RuleOff {
  readonly rule: DeletionCause['rule']
  /** The setting that turns it off, as it is, `retention.ms=-1`. */
  readonly because: string
}

export interface RetentionRules {
  /** In Kafka's order. */
  readonly on: readonly Rule[]
  readonly off: readonly RuleOff[]
}

/** The rules that a policy has. Without `delete` only the start offset counts. */
export function rulesOf(
  facts: RetentionFacts,
  { cleanupPolicy, retentionBytes, retentionMs }: RetentionPolicy,
  nowMs: number,
): RetentionRules {
  const on = [startOffsetRule(facts.logStartOffset)]
  const off: RuleOff[] = []
  const deletes = cleanupPolicy.includes('delete')
  const noDelete = `cleanup.policy=${cleanupPolicy.join(',')}`
  if (deletes && retentionBytes >= 0) on.push(sizeRule(facts.segments, retentionBytes))
  else
    off.push({ rule: 'retention.bytes', because: deletes ? `retention.bytes=${retentionBytes}` : noDelete })
  if (hasTimeRule({ cleanupPolicy, retentionMs })) on.push(timeRule(retentionMs, nowMs))
  else off.push({ rule: 'retention.ms', because: deletes ? `retention.ms=${retentionMs}` : noDelete })
  return { on, off }
}

function startOffsetRule(logStartOffset: bigint): Rule {
  return ({ isActive, nextOffset }) =>
    !isActive && nextOffset <= logStartOffset
      ? { isDue: true, cause: { rule: 'log start offset', logStartOffset } }
      : { isDue: false, stays: { rule: 'log start offset', logStartOffset, isActive } }
}

function sizeRule(segments: readonly RetentionSegment[], retentionBytes: number): Rule {
  const bytesAfter = bytesBehindEach(segments)
  return (segment) => {
    const logBytesAfter = bytesAfter.get(segment.baseOffset) ?? 0
    return logBytesAfter >= retentionBytes
      ? { isDue: true, cause: { rule: 'retention.bytes', retentionBytes, logBytesAfter } }
      : {
          isDue: false,
          stays: { rule: 'retention.bytes', retentionBytes, missingBytes: retentionBytes - logBytesAfter },
        }
  }
}

/** By base offset: what the log has once this segment and all older ones are gone. */
function bytesBehindEach(segments: readonly RetentionSegment[]): ReadonlyMap<bigint, number> {
  const behind = new Map<bigint, number>()
  let bytes = bytesOf(segments)
  for (const { baseOffset, sizeInBytes } of segments) {
    bytes -= sizeInBytes
    behind.set(baseOffset, bytes)
  }
  return behind
}

export function bytesOf(segments: readonly { readonly sizeInBytes: number }[]): number {
  return segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
}

function timeRule(retentionMs: number, nowMs: number): Rule {
  return (segment) => {
    const { anchorMs, basedOn } = anchorOf(segment)
    const ageMs = nowMs - anchorMs
    return ageMs > retentionMs
      ? { isDue: true, cause: { rule: 'retention.ms', retentionMs, basedOn } }
      : {
          isDue: false,
          stays: {
            rule: 'retention.ms',
            retentionMs,
            basedOn,
            ageMs,
            untilMs: expiryMs(segment, retentionMs),
          },
        }
  }
}

export function hasTimeRule({
  cleanupPolicy,
  retentionMs,
}: Pick<RetentionPolicy, 'cleanupPolicy' | 'retentionMs'>): boolean {
  return cleanupPolicy.includes('delete') && retentionMs >= 0
}

/** The last ms at which `retention.ms` keeps a segment. */
export function expiryMs(segment: RetentionSegment, retentionMs: number): number {
  return anchorOf(segment).anchorMs + retentionMs
}

/** Kafka warns of these: until the time has come that they bear they are not even young. */
export function isFromFuture(stays: StayCause): boolean {
  return stays.rule === 'retention.ms' && stays.ageMs < 0
}

/** What a segment's age is counted from: its newest record, or its file's time where no record has a timestamp. */
export function anchorOf({ largestTimestamp, modifiedMs }: RetentionSegment): {
  readonly anchorMs: number
  readonly basedOn: 'record' | 'file'
} {
  if (largestTimestamp >= 0n) return { anchorMs: Number(largestTimestamp), basedOn: 'record' }
  return { anchorMs: modifiedMs, basedOn: 'file' }
}
