/**
 * What a retention plan leaves in the log, and until when. Pure: the same facts
 * and the same rules as the plan, asked of every segment that stays. All times
 * are what they will be if nobody appends and no setting changes.
 */

import {
  type Barrier,
  barrierOf,
  expiryMs,
  hasTimeRule,
  type RetentionFacts,
  type RetentionPlan,
  type RetentionPolicy,
  type RetentionSegment,
  rulesOf,
  type StayCause,
} from './retention-plan.js'

/** What keeps a segment in the log; the first of a list counts most. */
export type Hold =
  | { readonly rule: 'foreign log' }
  | Barrier
  /** Segments go oldest first, and the one at `baseOffset` is not due before this one, or never. */
  | { readonly rule: 'oldest first'; readonly baseOffset: bigint }
  | StayCause

/** What becomes of one segment. */
export interface SegmentFate {
  readonly segment: RetentionSegment
  /** Why it stays, rule by rule; none where a check takes it. */
  readonly holds: readonly Hold[]
  /** When its newest record is as old as `retention.ms`; undefined where that rule is off or never comes to it. */
  readonly expiresMs: number | undefined
  /** From when on a check takes it: now, once it and all older ones have expired, or never (undefined). */
  readonly dueMs: number | undefined
}

/** `plan` is the plan of these facts; undefined where nothing may be deleted. */
export function fatesOf(
  facts: RetentionFacts,
  policy: RetentionPolicy,
  nowMs: number,
  plan: RetentionPlan | undefined,
): SegmentFate[] {
  if (plan === undefined) return facts.segments.map(keptAsForeign)
  const going = plan.deletions.map(({ segment }) => ({
    segment,
    holds: [],
    expiresMs: expiryOf(segment, policy),
    dueMs: nowMs,
  }))
  return [...going, ...staying(facts, policy, nowMs, facts.segments.slice(going.length))]
}

function keptAsForeign(segment: RetentionSegment): SegmentFate {
  return {
    segment,
    holds: [{ rule: 'foreign log' }],
    expiresMs: undefined,
    dueMs: undefined,
  }
}

function staying(
  facts: RetentionFacts,
  policy: RetentionPolicy,
  nowMs: number,
  segments: readonly RetentionSegment[],
): SegmentFate[] {
  const { on } = rulesOf(facts, policy, nowMs)
  /** The older segment that goes last of all, and when. */
  let last: { readonly baseOffset: bigint; readonly dueMs: number } | undefined
  return segments.map((segment) => {
    const barrier = barrierOf(facts, segment)
    const verdicts = on.map((rule) => rule(segment))
    const stays = verdicts.flatMap((verdict) => (verdict.isDue ? [] : [verdict.stays]))
    const byItself = barrier === undefined ? dueByItself(stays, verdicts.length, nowMs) : NEVER
    const isBehind = last !== undefined && last.dueMs > byItself
    const holds: Hold[] = [
      ...(barrier === undefined ? [] : [barrier]),
      ...(isBehind && last !== undefined
        ? [{ rule: 'oldest first' as const, baseOffset: last.baseOffset }]
        : []),
      ...stays,
    ]
    if (!isBehind) last = { baseOffset: segment.baseOffset, dueMs: byItself }
    const dueMs = finite(last?.dueMs ?? NEVER)
    return { segment, holds, expiresMs: expiryOf(segment, policy), dueMs }
  })
}

const NEVER = Number.POSITIVE_INFINITY

/** Any one rule is enough, and of those that say no time moves only `retention.ms`. */
function dueByItself(stays: readonly StayCause[], rules: number, nowMs: number): number {
  if (stays.length < rules) return nowMs
  const byTime = stays.find((cause) => cause.rule === 'retention.ms')
  return byTime === undefined ? NEVER : byTime.untilMs + 1
}

function expiryOf(segment: RetentionSegment, policy: RetentionPolicy): number | undefined {
  return hasTimeRule(policy) ? finite(expiryMs(segment, policy.retentionMs)) : undefined
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined
}
