/**
 * Which log is cleaned next. Pure; Kafka's grabFilthiestCompactedLog.
 */

import type { CleanablePlan } from '../log/cleaning/cleanable.js'

export interface Candidate<L> {
  readonly log: L
  readonly plan: CleanablePlan
}

/** The one with the highest dirty ratio of those that are due; undefined for none. */
export function filthiest<L>(candidates: readonly Candidate<L>[]): Candidate<L> | undefined {
  let chosen: Candidate<L> | undefined
  for (const candidate of candidates) {
    if (!candidate.plan.isDue) continue
    if (chosen === undefined || candidate.plan.dirtyRatio >= chosen.plan.dirtyRatio) chosen = candidate
  }
  return chosen
}
