/**
 * `verifyLog`: every check there is of a log's files, and what opening it
 * would do. Takes no lock and changes nothing; beside a live writer its last
 * batch may be on its way, and is told as what a recovery would cut.
 */

import { jsonable } from '../base/jsonable.js'
import { planLeftFiles, planSegments } from '../log/directory-plan.js'
import { listMeasured } from '../log/listing.js'
import { isMeasured } from '../log/recovery/recover-log.js'
import type { ScanCause } from '../log/recovery/recovery-plan.js'
import { type DryRecovery, dryRecoveryOf } from './dry-recovery.js'
import { type Finding, findingOf } from './finding.js'
import { type LogLook, type LookOptions, lookAtLog } from './look-at-log.js'
import { type VerifiedSegment, verifySegment } from './verify-segment.js'

export interface VerifyOptions extends LookOptions {
  /** Told in bytes of the log. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface VerifyReport extends DryRecovery {
  readonly log: string
  readonly path: string
  /** The log directory has its clean-shutdown marker. Without it a writer may be at work. */
  readonly isClean: boolean
  readonly segments: readonly VerifiedSegment[]
  /** In the order in which they were found; none: all is as it should be. */
  readonly findings: readonly Finding[]
  /** The smallest safe step that puts it right; null where nothing has to be. */
  readonly repair: string | null
}

/** Throws `ERR_NOT_A_LOG`, `ERR_IO`, `ERR_CORRUPT` (settings that cannot be read). */
export function verifyLog(
  path: string,
  options: VerifyOptions = {},
): Promise<VerifyReport & { toJSON(): object }> {
  return lookAtLog(path, options, async (look) => jsonable(await verify(look, options)))
}

async function verify(look: LogLook, { onProgress }: VerifyOptions): Promise<VerifyReport> {
  const { env, wasClean } = look
  const findings: Finding[] = look.damagedFiles.map(findingOf)
  const { live } = planLeftFiles(await listMeasured(env, isMeasured))
  const stored = planSegments(live).segments
  const total = stored.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  const segments: VerifiedSegment[] = []
  const suspects = new Map<bigint, ScanCause>()
  let done = 0
  for (const segment of stored) {
    const before = findings.length
    const verified = await verifySegment(look, segment, (finding) => findings.push(finding))
    // A clean start looks at the active segment alone.
    if (findings.length > before && segment === stored.at(-1))
      suspects.set(segment.baseOffset, causeOf(findings.slice(before)))
    checkFollows(segments.at(-1), verified, segment.storedAs, findings)
    segments.push(verified)
    done += segment.sizeInBytes
    onProgress?.(done, total)
  }
  const dry = await dryRecoveryOf(look, {}, suspects)
  return {
    log: env.name,
    path: env.directory,
    isClean: wasClean,
    segments,
    findings,
    ...dry,
    repair: repairOf(findings, dry, wasClean),
  }
}

function causeOf(findings: readonly Finding[]): ScanCause {
  return findings.every(({ kind }) => kind === 'index') ? 'corrupt index' : 'bad tail'
}

function checkFollows(
  before: VerifiedSegment | undefined,
  { baseOffset }: VerifiedSegment,
  path: string,
  findings: Finding[],
): void {
  if (before === undefined || baseOffset >= before.nextOffset) return
  const message = `it begins at offset ${baseOffset}, below ${before.nextOffset}, where the segment before it ends`
  findings.push({ kind: 'batch', path, position: 0, message })
}

function repairOf(
  findings: readonly Finding[],
  { report, refusal }: DryRecovery,
  wasClean: boolean,
): string | null {
  if (refusal !== null)
    return `restore ${refusal.path}; without it, "plog recover --on-damage cut --quarantine DIR" goes on without what lies behind`
  const cuts = report?.cuts.length ?? 0
  if (cuts > 0) return 'open the log, or "plog recover": what was never known to be on disk is cut'
  const lost = findings.find(({ kind }) => kind === 'batch' || kind === 'torn-tail')
  if (lost !== undefined)
    return `restore ${lost.path}: opening goes on without looking there, and reading there fails`
  if (findings.some(({ kind }) => kind === 'checkpoint'))
    return 'restore the small file that is named, or remove it'
  if (findings.length > 0) return 'remove the index that is named, then open the log: it is made anew'
  return wasClean ? null : report === null ? null : 'none is needed: opening the log scans what it has to'
}
