/**
 * One more look at the files of a log that another process writes, taken into
 * the log's state: in one synchronous step, once all of it is known. Appended
 * batches, rolls and deletions let the rest stand; where bytes may have been
 * cut or replaced everything is read anew and the state's generation rises.
 */

import { join } from 'node:path'
import { Segment } from '../../segment/segment.js'
import type { CheckpointedOffsets } from '../checkpointed-offsets.js'
import type { StoredSegment } from '../directory-plan.js'
import { readLeaderEpochs } from '../epoch-file.js'
import { stateOf } from '../loaded-state.js'
import type { LogCore } from '../log-core.js'
import type { LogEnvironment } from '../log-environment.js'
import { type LogState, maxOffset, offsetsOf } from '../log-state.js'
import { fillProducers } from '../producers/load-producers.js'
import { LogProducers } from '../producers/log-producers.js'
import { extendProducers } from '../producers/rebuild.js'
import { emptyTail, readTailAsFound, readTailOn, type SegmentTail } from '../tail.js'
import { goneLog, listBesideWriter, loadReadOnly } from './load-read-only.js'
import { type Growth, isSameDirectory, isSettled, planLook, type SeenFiles } from './seen-files.js'

/** `unsteady`: names in the directory changed meanwhile, and nothing was taken. */
export type Looked = SeenFiles | 'unsteady'

export interface LookOptions {
  readonly checkpoints: CheckpointedOffsets
  /** Nothing that was known before counts. */
  readonly anew: boolean
}

/** What is known of the files then. Throws what opening a log can throw; the state is as it was then. */
export async function look(core: LogCore, seen: SeenFiles, options: LookOptions): Promise<Looked> {
  const { env } = core
  const seenMs = env.clock.nowMs()
  const directory = await env.files.look(env.directory)
  if (directory === undefined) throw goneLog(env)
  const hasSameNames = isSettled(seen.directory, seen.seenMs) && isSameDirectory(seen.directory, directory)
  const stored =
    (hasSameNames && (await withActiveNow(env, seen.stored))) || (await listBesideWriter(env, seen.stored))
  const growth = options.anew ? 'anew' : planLook(seen, stored)
  if (growth === 'anew') return takeAnew(core, options)
  // Replaced by a rename, which a directory's time shows.
  const epochs = hasSameNames ? core.epochs : await readLeaderEpochs(env.files, env.directory)
  const grown = await readGrowth(core, seen, growth)
  if (grown === 'anew') return takeAnew(core, options)
  try {
    const isSteady = isSameDirectory(directory, await env.files.look(env.directory))
    if (isSteady) await takeGrowth(core, stored, growth, grown, options.checkpoints)
    else await retire(core, grown.added)
    if (!isSteady) return 'unsteady'
  } catch (error) {
    await retire(core, grown.added)
    throw error
  }
  core.epochs = epochs
  return { directory, seenMs, stored, tail: grown.tail, openings: grown.openings }
}

/** Whether all segments are still the files that were seen, though there may be more in them and behind them. Takes nothing. */
export async function areSameFiles(env: LogEnvironment, seen: SeenFiles): Promise<boolean> {
  const now = await env.files.look(env.directory)
  if (isSettled(seen.directory, seen.seenMs) && isSameDirectory(seen.directory, now)) return true
  return planLook(seen, await listBesideWriter(env, seen.stored)) !== 'anew'
}

/** Undefined where the active segment is not there any more. */
async function withActiveNow(
  env: LogEnvironment,
  stored: readonly StoredSegment[],
): Promise<readonly StoredSegment[] | undefined> {
  const active = stored.at(-1) as StoredSegment
  const now = await env.files.look(join(env.directory, active.storedAs))
  return now && [...stored.slice(0, -1), { ...active, ...now }]
}

/** What was read of the segments that may hold more. */
interface Grown {
  /** Of the segment that was active; undefined where it is as it was. */
  readonly oldTail: SegmentTail | undefined
  readonly added: readonly Segment[]
  /** Of the log. */
  readonly tail: SegmentTail
  readonly openings: number
}

async function readGrowth(
  core: LogCore,
  { tail: known, openings }: SeenFiles,
  growth: Growth,
): Promise<Grown | 'anew'> {
  const { env, state } = core
  if (!growth.hasGrown && growth.added.length === 0)
    return { oldTail: undefined, added: [], tail: known, openings }
  const active = state.segments.at(-1) as Segment
  active.reopen()
  const oldTail = await readTailOn(env.readLane, active, known)
  if (oldTail === undefined) return 'anew'
  const added = growth.added.map((stored) => Segment.existing(core.segmentOptions(stored.baseOffset), stored))
  try {
    const last = added.at(-1)
    const tail = (await tailOf(env, last)) ?? oldTail
    return { oldTail, added, tail, openings: (last ?? active).openings }
  } catch (error) {
    await retire(core, added)
    throw error
  }
}

async function tailOf(env: LogEnvironment, segment: Segment | undefined): Promise<SegmentTail | undefined> {
  if (segment === undefined) return undefined
  return segment.sizeInBytes === 0 ? emptyTail(segment.baseOffset) : readTailAsFound(env.readLane, segment)
}

async function takeGrowth(
  core: LogCore,
  stored: readonly StoredSegment[],
  { dropped }: Growth,
  { oldTail, added, tail }: Grown,
  checkpoints: CheckpointedOffsets,
): Promise<void> {
  const { env, producers } = core
  const before = core.state
  const segments = [...before.segments.slice(dropped), ...added]
  const active = before.segments.at(-1) as Segment
  if (oldTail !== undefined) {
    // A sealed one counts to its end: what is damaged there a reader is to come to.
    const sealedAs = added.length === 0 ? undefined : stored[stored.length - added.length - 1]
    active.endAt(sealedAs?.sizeInBytes ?? oldTail.endPosition)
    active.resetIndexState(oldTail.maxTimestamp)
    added.at(-1)?.endAt(tail.endPosition)
    added.at(-1)?.resetIndexState(tail.maxTimestamp)
  }
  const found = stateOf(env, segments, tail.nextOffset, checkpoints)
  const logStartOffset = maxOffset(found.logStartOffset, before.logStartOffset)
  await extendProducers(producers, env, segments, found.logEndOffset)
  if (logStartOffset > before.logStartOffset) producers.startAt(logStartOffset)
  producers.table.decideBelow(found.highWatermark)
  const lastStableOffset = core.stableUpTo(found.highWatermark, logStartOffset)
  const after = { ...found, logStartOffset, lastStableOffset, generation: before.generation }
  core.endOfRecords = found.logEndOffset
  if (!isSameState(before, after)) core.publish(after)
  await retire(core, before.segments.slice(0, dropped))
}

function isSameState(before: LogState, after: LogState): boolean {
  const [was, is] = [Object.values(offsetsOf(before)), Object.values(offsetsOf(after))]
  return (
    was.every((offset, index) => offset === is[index]) &&
    before.segments.length === after.segments.length &&
    before.segments.every((segment, index) => segment === after.segments[index])
  )
}

async function takeAnew(core: LogCore, { checkpoints }: LookOptions): Promise<SeenFiles> {
  const { env, config } = core
  const epochs = await readLeaderEpochs(env.files, env.directory)
  const { state, seen } = await loadReadOnly({ env, config, checkpoints })
  const producers = new LogProducers()
  try {
    await fillProducers({ env, state, producers }, false)
  } catch (error) {
    await retire(core, state.segments)
    throw error
  }
  const old = core.state
  for (const segment of state.segments) core.adopt(segment)
  producers.table.decideBelow(state.highWatermark)
  core.producers = producers
  core.epochs = epochs
  core.endOfRecords = state.logEndOffset
  core.publish({
    ...state,
    lastStableOffset: core.stableUpTo(state.highWatermark, state.logStartOffset),
    generation: old.generation + 1,
  })
  await retire(core, old.segments)
  return seen
}

/** Files that were only read hold nothing that a failed close could lose. */
async function retire(core: LogCore, segments: readonly Segment[]): Promise<void> {
  const results = await Promise.allSettled(segments.map((segment) => segment.retire()))
  for (const result of results) {
    if (result.status === 'rejected')
      core.warn({ error: result.reason }, 'a file that was read was not closed')
  }
}
