/**
 * What opening a log would do to it, found out without doing any of it.
 */

import { CorruptionError } from '../errors.js'
import { maxOffset } from '../log/log-state.js'
import { NoChanges } from '../log/recovery/changes.js'
import { NO_LISTENER } from '../log/recovery/listener.js'
import { recoverFiles } from '../log/recovery/recover-log.js'
import type { DamagePolicy } from '../log/recovery/recovery-options.js'
import { planScans, type ScanCause } from '../log/recovery/recovery-plan.js'
import { type RecoveryReport, ReportBuilder } from '../log/recovery/report.js'
import { type LogLook, type LookOptions, lookAtLog } from './look-at-log.js'

export interface DryRecovery {
  /** What would be done; null for nothing. */
  readonly report: RecoveryReport | null
  /** Why the log would not be opened; null where it would. */
  readonly refusal: CorruptionError | null
}

export interface DryRunOptions extends LookOptions {
  readonly onDamage?: DamagePolicy
  readonly onProgress?: (done: number, total: number) => void
}

export function dryRecovery(path: string, options: DryRunOptions = {}): Promise<DryRecovery> {
  return lookAtLog(path, options, (look) => dryRecoveryOf(look, options))
}

/** `suspects`: segments that a clean start would find to be wrong when it opens them. */
export async function dryRecoveryOf(
  look: LogLook,
  { onDamage = 'refuse', onProgress }: DryRunOptions,
  suspects: ReadonlyMap<bigint, ScanCause> = new Map(),
): Promise<DryRecovery> {
  const { env, config, checkpoints, epochs, wasClean, lane: scanLane } = look
  const report = new ReportBuilder()
  const startedMs = env.clock.elapsedMs()
  const options = {
    wasClean,
    onDamage,
    quarantine: undefined,
    scanLane,
    onProgress,
    signal: undefined,
    listener: NO_LISTENER,
  }
  try {
    const input = { env, config, checkpoints, options, changes: new NoChanges(), epochs, report, suspects }
    const { segments, leftovers } = await recoverFiles(input)
    report.removedFiles.push(...leftovers)
    const { logStartOffset = 0n } = checkpoints
    const firstOffset = segments[0]?.baseOffset ?? logStartOffset
    const scanned = report.cuts.at(-1)?.offset ?? report.scanned.at(-1)?.nextOffset ?? 0n
    const end = maxOffset(scanned, logStartOffset)
    const ms = Math.round(env.clock.elapsedMs() - startedMs)
    const facts = { wasClean, logStartOffset: maxOffset(logStartOffset, firstOffset), logEndOffset: end, ms }
    const isNothing = report.isEmpty && planScans({ segments, wasClean, ...checkpoints }).length === 0
    return {
      report: isNothing ? null : report.finish({ ...facts, recoveryPoint: checkpoints.recoveryPoint }),
      refusal: null,
    }
  } catch (error) {
    if (error instanceof CorruptionError) return { report: null, refusal: error }
    throw error
  }
}
