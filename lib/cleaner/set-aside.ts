/**
 * What is noted of a log where its cleaning fails, or its checkpoint cannot be
 * believed. Kafka gives up on a log after one failure, until it is started
 * anew; here it is tried again, ever more rarely.
 */

import type { PartitionLogError } from '../errors.js'
import type { CleanablePlan } from '../log/cleaning/cleanable.js'
import type { LogCore } from '../log/log-core.js'

const LONGEST_DELAY_MS = 3_600_000

/** How long a log waits after `failures` in a row, at least one. */
export function retryDelayMs(backoffMs: number, failures: number): number {
  return Math.min(LONGEST_DELAY_MS, Math.max(1_000, backoffMs) * 2 ** Math.min(failures, 20))
}

export function setAside(core: LogCore, error: PartitionLogError, backoffMs: number): void {
  const nowMs = core.env.clock.nowMs()
  const { setAside: before } = core.cleaning
  const failures = (before?.failures ?? 0) + 1
  const retryMs = nowMs + retryDelayMs(backoffMs, failures)
  core.cleaning.setAside = { error, sinceMs: before?.sinceMs ?? nowMs, failures, retryMs }
  core.warn(
    { event: 'uncleanable', error, retryMs },
    `Unexpected error when cleaning log ${core.env.name}. Marking it as uncleanable for now: ${error.message}`,
  )
}

/** Writes a checkpoint that can be believed. Kafka is silent where retention has taken what was cleaned. */
export async function noteReset(core: LogCore, plan: CleanablePlan): Promise<void> {
  const { checkpoint } = core.cleaning
  const isExpected =
    plan.reset === 'below the log start offset' && core.config.cleanupPolicy.includes('delete')
  if (!isExpected) {
    core.warn(
      { event: 'cleaner-reset', checkpoint, firstDirtyOffset: plan.firstDirtyOffset },
      `Resetting first dirty offset of ${core.env.name} to log start offset ${plan.firstDirtyOffset} since the checkpointed offset ${checkpoint} is ${plan.reset}.`,
    )
  }
  await core.saveFirstDirtyOffset(plan.firstDirtyOffset)
}
