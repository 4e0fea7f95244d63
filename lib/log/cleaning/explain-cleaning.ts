/**
 * What there is to say of a log's cleaning: how far it has come, what stands
 * in the way of the rest, and when a cleaner looks next. From the plan that
 * the cleaner acts by.
 */

import type { LogCore } from '../log-core.js'
import type { CheckSchedule } from '../log-host.js'
import { type SetAsideStats, setAsideOf } from '../stats.js'
import type { CleanablePlan, CleaningLimit } from './cleanable.js'
import { cleanablePlan } from './cleanable-log.js'
import type { CleaningReport } from './log-cleaning.js'

/** Whether records are dropped by key; `kind` tells what else is known. */
export type CleaningExplanation =
  /** Somebody else made the log, and no settings were given. */
  | { readonly kind: 'not known' }
  /** The policy has no `compact`. */
  | { readonly kind: 'off' }
  | ({ readonly kind: 'compacts' } & CompactionExplanation)

/** Sizes in bytes, times in ms since the epoch. */
export interface CompactionExplanation {
  /** Everything below was cleaned. */
  readonly firstDirtyOffset: bigint
  /** The next cleaning ends here: the base offset of a segment. */
  readonly firstUncleanableOffset: bigint
  readonly cleanBytes: number
  /** Of the dirty section: what the next cleaning can take, and all of it. */
  readonly cleanableBytes: number
  readonly dirtyBytes: number
  /** Cleanable bytes of the clean and cleanable ones: above `minCleanableDirtyRatio` a cleaning is due. */
  readonly dirtyRatio: number
  readonly minCleanableDirtyRatio: number
  /** `max.compaction.lag.ms` has passed for a dirty record: the ratio does not count. */
  readonly isOverdue: boolean
  /** A cleaner takes it, if no other log is filthier. */
  readonly isDue: boolean
  /** What ends the section that can be cleaned, what counts most first. */
  readonly limits: readonly CleaningLimit[]
  /** Why nothing is cleaned although something could be; null where nothing stands in the way. */
  readonly setAside: SetAsideStats | null
  /** The cleaning under way. */
  readonly running: {
    readonly startedMs: number
    readonly doneBytes: number
    readonly totalBytes: number
  } | null
  readonly last: (CleaningReport & { readonly endedMs: number }) | null
  /** When a cleaner looks for work. */
  readonly cleaner: CheckSchedule | { readonly kind: 'elsewhere' }
}

/** Of a log that compacts and whose settings are known. May block on a cold disk. */
export function explainCompaction(
  core: LogCore,
  checks: CheckSchedule | undefined,
  nowMs: number,
): CompactionExplanation {
  const { cleaning, config } = core
  const { running, last } = cleaning
  return {
    ...shown(cleanablePlan(core, nowMs)),
    minCleanableDirtyRatio: config.minCleanableDirtyRatio,
    setAside: setAsideOf(cleaning),
    running:
      running === undefined
        ? null
        : { startedMs: running.startedMs, doneBytes: running.doneBytes, totalBytes: running.totalBytes },
    last: last === undefined ? null : { ...last.report, endedMs: last.endedMs },
    cleaner: checks ?? { kind: 'elsewhere' },
  }
}

function shown({ reset: _, ...plan }: CleanablePlan) {
  return plan
}
