/**
 * A log as it lies there, for reading alone: beside a writer in another
 * process, or after whatever stop. Changes nothing; the log ends where its
 * last whole, sound batch ends.
 */

import { join } from 'node:path'
import type { LogConfig } from '../../config/settings.js'
import { CorruptionError, corrupt, IoError, PartitionLogError } from '../../errors.js'
import { fileName } from '../../segment/names.js'
import type { CheckpointedOffsets } from '../checkpointed-offsets.js'
import { type NamedFile, planLeftFiles, planSegments, type StoredSegment } from '../directory-plan.js'
import { listMeasured } from '../listing.js'
import { stateOf, withSegments } from '../loaded-state.js'
import type { LogEnvironment } from '../log-environment.js'
import type { LogState } from '../log-state.js'
import { isMeasured } from '../recovery/recover-log.js'
import { emptyTail, readTailAsFound } from '../tail.js'
import { areSameSegments, isSameDirectory, type SeenFiles } from './seen-files.js'

/** A writer that rolls, deletes or swaps all the time is not waited for any longer. */
export const ATTEMPTS_BESIDE_WRITER = 5

export interface LogToRead {
  readonly env: LogEnvironment
  readonly config: LogConfig
  readonly checkpoints: CheckpointedOffsets
}

export interface LogAsFound {
  readonly state: LogState
  readonly seen: SeenFiles
}

/** Throws `ERR_UNCLEAN` amid a swap, `ERR_NOT_A_LOG` where there is no segment. */
export async function loadReadOnly(log: LogToRead): Promise<LogAsFound> {
  const { env } = log
  for (let left = ATTEMPTS_BESIDE_WRITER; ; left--) {
    try {
      const found = await loadOnce(log)
      // Files opened after a swap would be others than those that were listed.
      if (left <= 1 || isSameDirectory(found.seen.directory, await env.files.look(env.directory)))
        return found
      for (const segment of found.state.segments) await segment.retire()
    } catch (error) {
      if (left <= 1 || !isPassing(error)) throw error
    }
  }
}

async function loadOnce({ env, config, checkpoints }: LogToRead): Promise<LogAsFound> {
  const seenMs = env.clock.nowMs()
  const directory = await env.files.look(env.directory)
  if (directory === undefined) throw goneLog(env)
  const stored = await listBesideWriter(env)
  return withSegments(env, config, stored, async (segments, active) => {
    const tail =
      active.sizeInBytes === 0 ? emptyTail(active.baseOffset) : await readTailAsFound(env.readLane, active)
    const state = stateOf(env, segments, tail.nextOffset, checkpoints)
    active.endAt(tail.endPosition)
    active.resetIndexState(tail.maxTimestamp)
    return { state, seen: { directory, seenMs, stored, tail, openings: active.openings } }
  })
}

/**
 * By rising base offset, at least one. A listing that runs into a rename can
 * miss a file under both of its names: what differs from the `known` segments
 * is listed until two listings agree.
 */
export async function listBesideWriter(
  env: LogEnvironment,
  known: readonly StoredSegment[] = [],
): Promise<StoredSegment[]> {
  let before = known
  for (let left = ATTEMPTS_BESIDE_WRITER; ; left--) {
    const listed = await listSegments(env)
    if (left <= 1 || areSameSegments(before, listed)) {
      for (const segment of listed) checkIndexes(env, segment)
      // What is only read gets no files made: an empty segment has nothing to read anyway.
      const readable = listed.filter(({ lacks }) => lacks.length === 0)
      if (readable.length === 0) throw nothingToRead(env)
      return readable
    }
    before = listed
  }
}

async function listSegments(env: LogEnvironment): Promise<readonly StoredSegment[]> {
  const found = planLeftFiles(await listMeasured(env, isMeasured))
  const { segments } = planSegments(found.live)
  const isNeeded = ({ name: { baseOffset, kind } }: NamedFile) =>
    kind === 'log' ||
    segments.some((segment) => segment.baseOffset === baseOffset && segment.lacks.includes(kind))
  const swap = found.swaps.find(isNeeded)
  if (swap !== undefined) throw interrupted(join(env.directory, swap.storedAs))
  return segments
}

/**
 * Whether the error may be over at the next look: a writer is rolling, deleting
 * or swapping. A `.log` is then seen before its indexes, a segment on its way
 * into place, or a file is gone when it is to be opened.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof CorruptionError) return error.kind === 'index'
  if (error instanceof IoError) return error.errno === 'ENOENT'
  return (
    error instanceof PartitionLogError &&
    (error.code === 'ERR_UNCLEAN' || (error.code === 'ERR_NOT_A_LOG' && error.errno === undefined))
  )
}

function checkIndexes(env: LogEnvironment, { baseOffset, sizeInBytes, lacks }: StoredSegment): void {
  const [kind] = lacks
  if (kind === undefined || sizeInBytes === 0) return
  throw corrupt(
    'index',
    join(env.directory, fileName(baseOffset, kind)),
    'the file is missing beside a segment with records; open the log without readOnly to have it made anew',
  )
}

function interrupted(path: string): PartitionLogError {
  return new PartitionLogError(
    'ERR_UNCLEAN',
    `${path} is left from an interrupted cleaning or splitting; open the log without readOnly to have that finished`,
    { path },
  )
}

function nothingToRead({ directory: path }: LogEnvironment): PartitionLogError {
  return new PartitionLogError(
    'ERR_NOT_A_LOG',
    `${path} holds no segment; open it without readOnly to begin one`,
    { path },
  )
}

/** The whole directory is not there (any more). */
export function goneLog({ directory: path }: LogEnvironment): PartitionLogError {
  return new PartitionLogError('ERR_NOT_A_LOG', `${path} is gone: the log was deleted or moved`, {
    path,
    errno: 'ENOENT',
  })
}
