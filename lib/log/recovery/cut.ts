/**
 * Cutting a log where it stops being sound, if that may be done: first what
 * lies behind goes, from the highest segment down, then the tail of the
 * damaged one. A stop in between finds the damage again.
 */

import type { LogFile } from '../../backend/contract.js'
import { corrupt } from '../../errors.js'
import type { StoredSegment } from '../directory-plan.js'
import { filesOf } from './changes.js'
import type { RecoveryContext } from './recovery-context.js'
import { decideCut, type SegmentToScan } from './recovery-plan.js'
import { REMEDY, refusalOf } from './refusal.js'
import type { CutReport } from './report.js'
import type { SegmentScan } from './scan-segment.js'
import { soundBehind } from './sound-behind.js'

/** A damaged segment, open, and those that would go with its tail. */
export interface DamagedSegment extends SegmentToScan {
  readonly log: LogFile
  readonly scan: SegmentScan
  readonly later: readonly StoredSegment[]
}

/** The segment as it is afterwards; throws `ERR_CORRUPT` where it may not be cut. */
export async function cutSegment(context: RecoveryContext, damaged: DamagedSegment): Promise<StoredSegment> {
  const { segment, cause, log, scan, later } = damaged
  const { env, options, checkpoints, changes } = context.input
  const { validBytes: position, nextOffset: offset, stop } = scan
  const path = context.path(segment.storedAs)
  const reader = { backend: env.backend, directory: env.directory, lane: options.scanLane }
  const behind = await soundBehind(reader, { log, position, offset, later })
  const { cuts, because } = decideCut({
    offset,
    cause,
    recoveryPoint: checkpoints.recoveryPoint,
    hasSoundBehind: behind.firstOffset !== null,
    onDamage: options.onDamage,
  })
  if (!cuts) throw refusalOf({ path, position, offset, stop, because, behind })
  const text = `Corruption found in segment ${segment.baseOffset}, truncating to offset ${offset}`
  context.warn(text, { path, position, found: stop })
  await removeSegments(context, later, `it lies behind the cut at offset ${offset}`)
  context.report.quarantined.push(...(await changes.copyAway([segment.storedAs])))
  await changes.cut(segment, position)
  context.report.cuts.push({
    path,
    baseOffset: segment.baseOffset,
    position,
    removedBytes: segment.sizeInBytes - position,
    offset,
    found: stop as CutReport['found'],
    because,
  })
  return { ...segment, sizeInBytes: position, modifiedMs: env.clock.nowMs() }
}

export async function removeSegments(
  context: RecoveryContext,
  segments: readonly StoredSegment[],
  because: string,
): Promise<void> {
  if (segments.length === 0) return
  const { changes } = context.input
  const names = segments.map(
    ({ baseOffset, sizeInBytes }) => `LogSegment(baseOffset=${baseOffset}, size=${sizeInBytes})`,
  )
  context.info(`Deleting segments as part of log recovery: ${names.join(', ')}`)
  for (const one of segments) context.report.quarantined.push(...(await changes.copyAway(filesOf(one))))
  await changes.removeSegments(segments)
  for (const { baseOffset, storedAs, sizeInBytes } of segments)
    context.report.removedSegments.push({ path: context.path(storedAs), baseOffset, sizeInBytes, because })
}

/** The segment scanned before another. */
export interface Previous {
  readonly baseOffset: bigint
  readonly nextOffset: bigint
}

const FARTHEST = 0x7fff_ffffn

/**
 * Why an unflushed segment, and all behind it, are no part of the log; undefined where they are. A truncation to an
 * offset below all segments makes an empty one first: what lies behind that is old. In a log that may have been cleaned
 * an empty segment can be what is left of one, and nothing tells the two apart: there all stays, as if such a truncation
 * had not got so far. Old is too what begins below the end of the segment before. Throws where that was known to be on disk.
 */
export function staleBecause(
  context: RecoveryContext,
  previous: Previous,
  { baseOffset, storedAs, sizeInBytes }: StoredSegment,
): string | undefined {
  const { checkpoints, options, config } = context.input
  const mayBeCleaned = config.cleanupPolicy.includes('compact') || checkpoints.firstDirtyOffset !== undefined
  const isEmpty = previous.nextOffset === previous.baseOffset
  const followsEmpty = isEmpty && !mayBeCleaned && baseOffset - previous.baseOffset <= FARTHEST
  const overlaps = baseOffset < previous.nextOffset
  if (!followsEmpty && !overlaps) return undefined
  const { cuts } = decideCut({
    offset: previous.nextOffset,
    cause: 'unflushed',
    recoveryPoint: checkpoints.recoveryPoint,
    hasSoundBehind: sizeInBytes > 0,
    onDamage: options.onDamage,
  })
  const what = overlaps
    ? `it begins below offset ${previous.nextOffset}, where the segment before it ends`
    : `the segment before it, ${previous.baseOffset}, is empty`
  if (cuts) return what
  if (!overlaps) return undefined
  const fields = { position: 0, offset: baseOffset }
  throw corrupt('batch', context.path(storedAs), `${what}; ${REMEDY}`, fields)
}
