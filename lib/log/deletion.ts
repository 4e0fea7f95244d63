/**
 * Takes segments that are no longer part of the log off the disk: every file
 * is renamed to `.deleted` at once, and removed after `file.delete.delay.ms`,
 * so that whoever still reads can finish. What a stop leaves behind is removed
 * at the next start.
 */

import { join } from 'node:path'
import { IoError } from '../errors.js'
import { type FileKind, fileName, SEGMENT_FILE_KINDS } from '../segment/names.js'
import type { Segment } from '../segment/segment.js'
import type { LogCore } from './log-core.js'
import { asLogError } from './log-error.js'

const KINDS: readonly FileKind[] = [...SEGMENT_FILE_KINDS, 'snapshot']

/** On return the files bear their new names, on disk. `segments` go in the order given. */
export async function deleteSegments(core: LogCore, segments: readonly Segment[]): Promise<void> {
  const { files, flushLane, directory } = core.env
  const renamed: string[] = []
  for (const segment of segments) {
    await segment.retire()
    for (const kind of KINDS) {
      const path = join(directory, fileName(segment.baseOffset, kind))
      if (await renameIfPresent(core, path)) renamed.push(`${path}.deleted`)
    }
  }
  if (renamed.length === 0) return
  core.directoryChanges++
  await flushLane.flushPath(directory)
  core.later(core.config.fileDeleteDelayMs, () => {
    Promise.all(renamed.map((path) => files.remove(path))).catch((error) => core.goOffline(asLogError(error)))
  })
}

/** A file that somebody removed by hand is no reason to fail. */
async function renameIfPresent(core: LogCore, path: string): Promise<boolean> {
  try {
    await core.env.files.rename(path, `${path}.deleted`)
    return true
  } catch (error) {
    if (error instanceof IoError && error.errno === 'ENOENT') return false
    throw error
  }
}
