/**
 * Which segments have an index that cannot be believed: each is opened, looked
 * at and closed again. Many a turn, so that the event loop goes on.
 */

import { CorruptionError } from '../../errors.js'
import { checkOffsetIndex, checkTimeIndex } from '../../segment/index-sanity.js'
import { segmentPath } from '../../segment/segment-files.js'
import type { StoredSegment } from '../directory-plan.js'
import type { LogEnvironment } from '../log-environment.js'

const AT_ONCE = 64

export async function findCorruptIndexes(
  env: LogEnvironment,
  segments: readonly StoredSegment[],
): Promise<StoredSegment[]> {
  const corrupt: StoredSegment[] = []
  for (let from = 0; from < segments.length; from += AT_ONCE) {
    const looks = segments.slice(from, from + AT_ONCE).map(async (segment) => {
      if (segment.lacks.length === 0 && !(await areSound(env, segment))) corrupt.push(segment)
    })
    await Promise.all(looks)
  }
  return corrupt
}

async function areSound(env: LogEnvironment, { baseOffset, sizeInBytes }: StoredSegment): Promise<boolean> {
  const place = { backend: env.backend, directory: env.directory, mode: 'read' } as const
  const options = { mode: 'read', capacityBytes: 0 } as const
  const open = []
  try {
    const offsetIndex = env.backend.openIndexFile(segmentPath(place, baseOffset, 'index'), {
      ...options,
      kind: 'offset',
    })
    open.push(offsetIndex)
    const timeIndex = env.backend.openIndexFile(segmentPath(place, baseOffset, 'timeindex'), {
      ...options,
      kind: 'time',
    })
    open.push(timeIndex)
    checkOffsetIndex(offsetIndex, sizeInBytes)
    checkTimeIndex(timeIndex)
    // A segment with records always has the time of its largest, unless no record has a time.
    return true
  } catch (error) {
    if (error instanceof CorruptionError) return false
    throw error
  } finally {
    await Promise.all(open.map((file) => file.close()))
  }
}
