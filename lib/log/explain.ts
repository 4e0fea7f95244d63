/**
 * Why a log is as it is: what stands in the way of the next roll, of each
 * segment's deletion and of cleaning, and until when. Put together from the
 * plans that act; changes nothing.
 */

import { toInteger } from '../base/int64.js'
import { jsonable } from '../base/jsonable.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { checkFrom, nextCheckAt, timeOf } from './explain-checks.js'
import { fatesOf, type SegmentFate } from './explain-retention.js'
import { explainRoll } from './explain-roll.js'
import type { LogExplanation, NextCheck } from './explained-log.js'
import type { LogCore } from './log-core.js'
import type { CheckSchedule } from './log-host.js'
import { planFor, retentionFacts } from './retention.js'
import { bytesOf, rulesOf } from './retention-plan.js'

export interface ExplainOptions {
  /** The time to ask for, in ms since the epoch; default: now. */
  readonly nowMs?: number
}

const KNOWN = knownKeys<ExplainOptions>({ nowMs: true })

/** `checks`: undefined where nobody here checks the log. Throws `ERR_CLOSED` and `ERR_OFFLINE`: such a log does nothing more. */
export function explainLog(
  core: LogCore,
  checks: CheckSchedule | undefined,
  options: ExplainOptions,
): LogExplanation {
  core.assertUsable()
  checkKnown(options, KNOWN)
  const { config, env, state } = core
  const clockMs = env.clock.nowMs()
  const nowMs = toInteger('options.nowMs', options.nowMs ?? clockMs, 0, Number.MAX_SAFE_INTEGER)
  const facts = retentionFacts(state)
  const nextCheck = nextCheckAt(checks, clockMs, nowMs)
  const atNextCheck = planFor(core, facts, timeOf(nextCheck) ?? nowMs)
  const fates = fatesOf(facts, config, nowMs, planFor(core, facts, nowMs))
  return jsonable({
    log: env.name,
    nowMs,
    logStartOffset: state.logStartOffset,
    highWatermark: state.highWatermark,
    logEndOffset: state.logEndOffset,
    sizeInBytes: bytesOf(facts.segments),
    settings: settingsOf(core),
    roll: explainRoll(core, nowMs),
    nextCheck,
    rulesOff: env.mayDelete ? rulesOf(facts, config, nowMs).off : [],
    segments: fates.map((fate, n) => ({
      ...explainSegment(fate, nextCheck, config.fileDeleteDelayMs),
      goes: atNextCheck?.deletions[n]?.cause ?? null,
    })),
    waiting: [...core.pendingDeletions].map(({ baseOffsets, sizeInBytes, dueMs }) => ({
      baseOffsets,
      sizeInBytes,
      untilMs: dueMs,
    })),
    cleaning: explainCleaning(core),
  } satisfies Omit<LogExplanation, 'toJSON'>)
}

function settingsOf({ config, env }: LogCore): LogExplanation['settings'] {
  const { cleanupPolicy, retentionBytes, retentionMs, fileDeleteDelayMs } = config
  return {
    cleanupPolicy: env.mayDelete ? cleanupPolicy : null,
    retentionBytes,
    retentionMs,
    fileDeleteDelayMs,
  }
}

function explainCleaning({ config, env }: LogCore): LogExplanation['cleaning'] {
  if (!env.mayDelete) return { kind: 'not known' }
  return { kind: config.cleanupPolicy.includes('compact') ? 'not in this version' : 'off' }
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
