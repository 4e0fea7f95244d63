/**
 * Retention checks as a row of moments: the next one, and the first that comes
 * when a segment is due. Pure.
 */

import type { NextCheck } from './explained-log.js'
import type { CheckSchedule } from './log-host.js'

/** The next check from `nowMs` on; `clockMs` is the time that it is. `checks`: undefined where nobody here checks. */
export function nextCheckAt(checks: CheckSchedule | undefined, clockMs: number, nowMs: number): NextCheck {
  if (checks === undefined) return { kind: 'elsewhere' }
  if (checks.kind !== 'scheduled' || checks.nextMs === null) return checks
  // One that is overdue comes as soon as the event loop gets to it.
  const next = { ...checks, nextMs: Math.max(checks.nextMs, clockMs) }
  return { ...next, nextMs: checkFrom(nowMs, next) }
}

/** When the next check is, where that is known. */
export function timeOf(nextCheck: NextCheck): number | undefined {
  return nextCheck.kind === 'scheduled' ? (nextCheck.nextMs ?? undefined) : undefined
}

/** The first check at or after `dueMs`; null where there is none, or none is known of. */
export function checkFrom(dueMs: number, nextCheck: NextCheck): number | null {
  if (nextCheck.kind !== 'scheduled' || nextCheck.nextMs === null) return null
  const { nextMs, intervalMs } = nextCheck
  if (dueMs <= nextMs) return nextMs
  if (!Number.isFinite(intervalMs) || intervalMs <= 0) return null
  return nextMs + Math.ceil((dueMs - nextMs) / intervalMs) * intervalMs
}
