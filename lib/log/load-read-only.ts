/**
 * A log as it lies there, for reading alone: beside a writer in another
 * process, or after whatever stop. Changes nothing; the log ends where its
 * last whole, sound batch ends.
 */

import { join } from 'node:path'
import { CorruptionError, corrupt, PartitionLogError } from '../errors.js'
import { fileName } from '../segment/names.js'
import { planLeftFiles, planSegments, type StoredSegment } from './directory-plan.js'
import type { LogEnvironment } from './log-environment.js'
import { isMeasured } from './recovery/recover-log.js'

const LISTINGS_BESIDE_WRITER = 5

/**
 * By rising base offset. A writer may be rolling or swapping while its
 * directory is listed: a `.log` is then seen before its indexes, or a segment
 * on its way into place, and the directory is listed anew.
 */
export async function listBesideWriter(env: LogEnvironment): Promise<StoredSegment[]> {
  for (let left = LISTINGS_BESIDE_WRITER; ; left--) {
    try {
      const found = planLeftFiles(await env.files.list(env.directory, isMeasured))
      const [swap] = found.swaps.filter(({ name }) => name.kind === 'log')
      if (swap !== undefined) throw interrupted(join(env.directory, swap.storedAs))
      const { segments } = planSegments(found.live)
      for (const segment of segments) checkIndexes(env, segment)
      // What is only read gets no files made: an empty segment has nothing to read anyway.
      return segments.filter(({ lacks }) => lacks.length === 0)
    } catch (error) {
      if (left <= 1 || !isPassing(error)) throw error
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof CorruptionError) return error.kind === 'index'
  return error instanceof PartitionLogError && error.code === 'ERR_UNCLEAN'
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
