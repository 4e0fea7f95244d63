/**
 * One cleaning of one log, seen from the log: tells a thread what to read,
 * puts what it wrote in place, group by group, and notes how far it came.
 */

import type { CleanablePlan } from '../log/cleaning/cleanable.js'
import type { CleaningReport } from '../log/cleaning/log-cleaning.js'
import { type Swap, swapIn } from '../log/cleaning/swap.js'
import { announce } from '../log/events.js'
import type { LogCore } from '../log/log-core.js'
import type { Segment } from '../segment/segment.js'
import { AbortFlag, CleaningAborted } from './clean-control.js'
import type { CleanCounts, CleanedGroup, CleanJob, CleanProgress, CleanSettings } from './clean-job.js'
import { beginText, copyText, mapText } from './clean-text.js'
import { removeCleaned } from './cleaned-files.js'
import type { CleanerThread } from './cleaner-thread.js'
import { jobOf } from './job-of.js'

export interface CleanOneOptions {
  readonly thread: CleanerThread
  /** `Cleaner 0`, for texts. */
  readonly cleaner: string
  readonly settings: CleanSettings
  readonly nowMs: number
  /** Bytes read so far of those to be read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * The log counts as being cleaned from this turn on. Resolves when its
 * checkpoint says so on disk. Rejects with what ended it: `CleaningAborted`
 * where the log was cut, closed or deleted; groups that were swapped in by
 * then stay, the checkpoint too.
 */
export function cleanOne(
  core: LogCore,
  plan: CleanablePlan,
  options: CleanOneOptions,
): Promise<CleaningReport> {
  const { firstDirtyOffset, firstUncleanableOffset } = plan
  const abort = new AbortFlag()
  const running = {
    startedMs: options.nowMs,
    firstDirtyOffset,
    firstUncleanableOffset,
    doneBytes: 0,
    totalBytes: 0,
  }
  core.cleaning.begin(running, () => abort.set())
  return core.during(async () => {
    try {
      return await clean(core, plan, options, abort)
    } finally {
      core.cleaning.end()
    }
  })
}

async function clean(
  core: LogCore,
  plan: CleanablePlan,
  options: CleanOneOptions,
  abort: AbortFlag,
): Promise<CleaningReport> {
  const { thread, cleaner, settings, nowMs } = options
  const inputs = new Map<bigint, Segment>()
  for (const segment of core.state.segments) {
    if (segment.baseOffset < plan.firstUncleanableOffset) inputs.set(segment.baseOffset, segment)
  }
  const tell = (fields: object, text: string) =>
    core.info({ event: 'clean', ...fields }, `${cleaner}: ${text}`)
  tell({}, beginText(core.env.name))
  const job = await jobOf(core, plan, [...inputs.values()], settings, nowMs)
  tell({ from: job.firstDirtyOffset, to: job.firstUncleanableOffset }, mapText(job))
  let segmentsWritten = 0
  let segmentsRead = 0
  const swap = async ({ inputs: bases, outputs }: CleanedGroup) => {
    const read = bases.map((baseOffset) => inputs.get(baseOffset) as Segment)
    await swapGroup(core, { by: cleaner, inputs: read, outputs }, job.firstUncleanableOffset)
    for (const baseOffset of bases) inputs.delete(baseOffset)
    segmentsRead += bases.length
    segmentsWritten += outputs.length
  }
  const progress = follow(core, options, () => tell({}, copyText(job)))
  const running = thread.run(job, { abort, swap, progress })
  const { endOffset, counts } = await running.catch((error) => {
    throw isTakenAway(core, inputs) ? new CleaningAborted() : error
  })
  abort.check()
  await core.saveFirstDirtyOffset(endOffset)
  const report = reportOf(job, endOffset, counts, { segmentsRead, segmentsWritten })
  core.cleaning.ended(report, core.env.clock.nowMs())
  announce('clean', () => ({ log: core.env.name, ...report }))
  return report
}

/** What was being read has left the log, by a truncation or by retention: that it could not be read says nothing. */
function isTakenAway({ condition, cleaning, state }: LogCore, inputs: ReadonlyMap<bigint, Segment>): boolean {
  if (condition !== 'open') return false
  return cleaning.isAborted || [...inputs.values()].some((segment) => !state.segments.includes(segment))
}

/** The outputs are in place on return, or gone, or the log is offline. */
async function swapGroup(core: LogCore, swap: Swap, firstUncleanableOffset: bigint): Promise<void> {
  try {
    // A record is dropped in favour of one in another group: that one must not get lost with its file.
    await core.durableBelow(firstUncleanableOffset)
    if (emptiesStart(core, swap)) await core.saveOffsets()
  } catch (error) {
    await dropOutputs(core, swap)
    throw error
  }
  if (await swapIn(core, swap)) return
  await dropOutputs(core, swap)
  throw new CleaningAborted()
}

/** A start takes an empty first segment at the recovery point for what a truncation began, and all behind it for old. */
function emptiesStart({ state }: LogCore, { inputs, outputs }: Swap): boolean {
  const isEmpty = outputs.length === 1 && outputs[0]?.sizeInBytes === 0
  return isEmpty && inputs[0] === state.segments[0]
}

/** What cannot be removed is by the next cleaning, or the next start. */
async function dropOutputs({ env }: LogCore, { outputs }: Swap): Promise<void> {
  for (const { baseOffset } of outputs)
    await removeCleaned(env.files, env.directory, baseOffset).catch(() => undefined)
}

/** Keeps what is shown of a cleaning under way true; `onCopy` is called when the map is full. */
function follow(core: LogCore, { onProgress }: CleanOneOptions, onCopy: () => void) {
  let phase: CleanProgress['phase'] = 'map'
  return ({ phase: now, doneBytes, totalBytes }: CleanProgress) => {
    if (now !== phase) onCopy()
    phase = now
    const { running } = core.cleaning
    if (running !== undefined) Object.assign(running, { doneBytes, totalBytes })
    onProgress?.(doneBytes, totalBytes)
  }
}

function reportOf(
  { firstDirtyOffset }: CleanJob,
  endOffset: bigint,
  counts: CleanCounts,
  segments: Pick<CleaningReport, 'segmentsRead' | 'segmentsWritten'>,
): CleaningReport {
  const { bytesRead, bytesWritten, recordsRead, recordsWritten, keys, slots, mapMs, totalMs } = counts
  return {
    firstDirtyOffset,
    endOffset,
    ...{ bytesRead, bytesWritten, recordsRead, recordsWritten },
    ...segments,
    ...{ keys, slots, mapMs, totalMs },
  }
}
