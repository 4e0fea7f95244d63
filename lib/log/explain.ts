/**
 * Why a log is as it is: what stands in the way of the next roll, of each
 * segment's deletion and of cleaning, and until when. Put together from the
 * plans that act; changes nothing.
 */

import { toInteger } from '../base/int64.js'
import { jsonable } from '../base/jsonable.js'
import { checkKnown, knownKeys } from '../base/options.js'
import type { LogConfig } from '../config/settings.js'
import { isCompacted } from './cleaning/cleanable-log.js'
import { type CleaningExplanation, explainCompaction } from './cleaning/explain-cleaning.js'
import { checkFrom, nextCheckAt, timeOf } from './explain-checks.js'
import { fatesOf, type SegmentFate } from './explain-retention.js'
import { explainRoll } from './explain-roll.js'
import type { LogExplanation, NextCheck } from './explained-log.js'
import type { LogCore } from './log-core.js'
import type { CheckSchedule } from './log-host.js'
import { planFor, retentionFacts } from './retention.js'
import { bytesOf, type RetentionFacts, rulesOf } from './retention-plan.js'

export interface ExplainOptions {
  /** The time to ask for, in ms since the epoch; default: now. */
  readonly nowMs?: number
}

const KNOWN = knownKeys<ExplainOptions>({ nowMs: true })

/** Who looks after the log, and when; undefined where nobody here does. */
export interface Checks {
  readonly retention: CheckSchedule | undefined
  readonly cleaner: CheckSchedule | undefined
}

/** Throws `ERR_CLOSED` and `ERR_OFFLINE`: such a log does nothing more. */
export function explainLog(core: LogCore, checks: Checks, options: ExplainOptions): LogExplanation {
  core.assertUsable()
  checkKnown(options, KNOWN)
  const { env, state } = core
  const clockMs = env.clock.nowMs()
  const nowMs = toInteger('options.nowMs', options.nowMs ?? clockMs, 0, Number.MAX_SAFE_INTEGER)
  const facts = retentionFacts(state)
  const nextCheck = nextCheckAt(checks.retention, clockMs, nowMs)
  return jsonable({
    log: env.name,
    nowMs,
    logStartOffset: state.logStartOffset,
    highWatermark: state.highWatermark,
    logEndOffset: state.logEndOffset,
    sizeInBytes: bytesOf(facts.segments),
    roll: explainRoll(core, nowMs),
    nextCheck,
    ...explainDeletion(core, facts, nextCheck, nowMs),
    cleaning: explainCleaning(core, checks.cleaner, nowMs),
    waiting: [...core.pendingDeletions].map(({ baseOffsets, sizeInBytes, dueMs }) => ({
      baseOffsets,
      sizeInBytes,
      untilMs: dueMs,
    })),
  } satisfies Omit<LogExplanation, 'toJSON'>)
}

/** What depends on the settings, which of a log that nothing may be taken from are not known. */
function explainDeletion(core: LogCore, facts: RetentionFacts, nextCheck: NextCheck, nowMs: number) {
  const { config } = core
  const plan = planFor(core, facts, nowMs)
  const atNextCheck = planFor(core, facts, timeOf(nextCheck) ?? nowMs)
  const isKnown = plan !== undefined
  return {
    settings: settingsOf(config, isKnown),
    rulesOff: isKnown ? rulesOf(facts, config, nowMs).off : [],
    segments: fatesOf(facts, config, nowMs, plan).map((fate, n) => ({
      ...explainSegment(fate, nextCheck, config.fileDeleteDelayMs),
      goes: atNextCheck?.deletions[n]?.cause ?? null,
    })),
  } satisfies Partial<LogExplanation>
}

function explainCleaning(
  core: LogCore,
  checks: CheckSchedule | undefined,
  nowMs: number,
): CleaningExplanation {
  if (!core.mayDelete) return { kind: 'not known' }
  if (!isCompacted(core)) return { kind: 'off' }
  return { kind: 'compacts', ...explainCompaction(core, checks, nowMs) }
}

function settingsOf(config: LogConfig, isKnown: boolean): LogExplanation['settings'] {
  const { cleanupPolicy, retentionBytes, retentionMs, fileDeleteDelayMs } = config
  return {
    cleanupPolicy: isKnown ? cleanupPolicy : null,
    retentionBytes,
    retentionMs,
    fileDeleteDelayMs,
  }
}

function explainSegment(fate: SegmentFate, nextCheck: NextCheck, delayMs: number) {
  const { baseOffset, nextOffset, isActive, sizeInBytes, largestTimestamp, modifiedMs } = fate.segment
  const checkMs = fate.dueMs === undefined ? null : checkFrom(fate.dueMs, nextCheck)
  return {
    baseOffset,
    nextOffset,
    active: isActive,
    sizeInBytes,
    largestTimestamp,
    modifiedMs,
    stays: fate.holds,
    expiresMs: fate.expiresMs ?? null,
    dueMs: fate.dueMs ?? null,
    checkMs,
    filesRemovedMs: checkMs === null || !Number.isFinite(delayMs) ? null : checkMs + delayMs,
  }
}
