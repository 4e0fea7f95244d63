/**
 * Takes segments that are no longer part of the log off the disk: every file
 * is renamed to `.deleted` at once, and removed after `file.delete.delay.ms`,
 * so that whoever still reads can finish. What a stop leaves behind is removed
 * at the next start.
 */

import { basename, join } from 'node:path'
import { IoError } from '../errors.js'
import { type FileKind, fileName, SEGMENT_FILE_KINDS } from '../segment/names.js'
import type { Segment } from '../segment/segment.js'
import type { LogCore } from './log-core.js'
import { asLogError } from './log-error.js'
import type { DeletedFile } from './log-state.js'

const KINDS: readonly FileKind[] = [...SEGMENT_FILE_KINDS, 'snapshot']

export interface DeletionOptions {
  /** Name the segments when their files are removed. */
  readonly texts?: readonly string[]
  /** Each segment's names are on disk before the next one's change: a power failure leaves no hole between those that stay. */
  readonly oneByOne?: boolean
  /** Base offsets that other segments have from now on: the producers' snapshots there stay. */
  readonly keepSnapshotsOf?: ReadonlySet<bigint>
}

/** On return the files bear their new names, on disk. `segments` go in the order given. */
export async function deleteSegments(
  core: LogCore,
  segments: readonly Segment[],
  options: DeletionOptions = {},
): Promise<void> {
  const { texts = segments.map(briefText) } = options
  const renamed = await core.renamings.during(() => retireAndRename(core, segments, options))
  if (renamed.length === 0) return
  const pending = {
    baseOffsets: segments.map(({ baseOffset }) => baseOffset),
    get sizeInBytes() {
      return renamed
        .filter((file) => isStillThere(core, file))
        .reduce((sum, file) => sum + file.recordBytes, 0)
    },
    dueMs: core.env.clock.nowMs() + core.config.fileDeleteDelayMs,
  }
  core.pendingDeletions.add(pending)
  core.later(core.config.fileDeleteDelayMs, () => {
    core.info({ baseOffsets: pending.baseOffsets }, `Deleting segment files ${texts.join(', ')}`)
    void core.during(() => removeFiles(core, renamed)).finally(() => core.pendingDeletions.delete(pending))
  })
}

/** Removes files that a recovery renamed, after the log's delay. */
export function removeLater(core: LogCore, paths: readonly string[]): void {
  if (paths.length === 0) return
  const files = paths.map((path) => waitsForRemoval(core, { path, recordBytes: 0 }))
  core.later(core.config.fileDeleteDelayMs, () => void core.during(() => removeFiles(core, files)))
}

/** Whatever fails, no file of the segments stays open: no close of the log reaches them any more. */
async function retireAndRename(
  core: LogCore,
  segments: readonly Segment[],
  options: DeletionOptions,
): Promise<DeletedFile[]> {
  try {
    return await renameFiles(core, segments, options)
  } catch (error) {
    await Promise.allSettled(segments.map((segment) => segment.retire()))
    throw error
  }
}

/** The new paths; durable on return. */
async function renameFiles(
  core: LogCore,
  segments: readonly Segment[],
  { oneByOne = false, keepSnapshotsOf }: DeletionOptions,
): Promise<DeletedFile[]> {
  const { flushLane, directory } = core.env
  // What is still being written would come back under its old name.
  await core.sideFiles.idle()
  const renamed: DeletedFile[] = []
  for (const segment of segments) {
    await segment.retire()
    for (const kind of KINDS) {
      const path = join(directory, fileName(segment.baseOffset, kind))
      if (kind === 'snapshot' && keepSnapshotsOf?.has(segment.baseOffset) === true) continue
      if (kind === 'snapshot') core.producers.snapshots.delete(segment.baseOffset)
      core.sideFiles.forget(path)
      const recordBytes = kind === 'log' ? segment.sizeInBytes : 0
      const file = { path: `${path}.deleted`, recordBytes }
      if (await renameIfPresent(core, path)) renamed.push(waitsForRemoval(core, file))
      else core.space.gaveBack(recordBytes)
    }
    if (oneByOne && segment !== segments.at(-1)) await flushLane.flushPath(directory)
  }
  if (renamed.length === 0) return renamed
  core.directoryChanges++
  await flushLane.flushPath(directory)
  return renamed
}

/** A segment of the same base offset may have gone before: its file was replaced, and is nobody's to remove any more. */
function waitsForRemoval(core: LogCore, file: DeletedFile): DeletedFile {
  const replaced = core.filesToRemove.get(file.path)
  if (replaced !== undefined) core.space.gaveBack(replaced.recordBytes)
  core.filesToRemove.set(file.path, file)
  return file
}

const isStillThere = (core: LogCore, file: DeletedFile) => core.filesToRemove.get(file.path) === file

/** Tries all; what cannot be removed stays until the next start, which tries again. */
async function removeFiles(core: LogCore, files: readonly DeletedFile[]): Promise<void> {
  for (const file of files) {
    if (!isStillThere(core, file)) continue
    const { path, recordBytes } = file
    core.filesToRemove.delete(path)
    try {
      await removeIfPresent(core, path)
      core.space.gaveBack(recordBytes)
      const tell = path.endsWith('.log.deleted') ? core.info : core.debug
      tell.call(core, { event: 'file-removed', path }, `Deleted log ${basename(path)}.`)
    } catch (error) {
      const { message } = asLogError(error)
      core.warn(
        { path, error },
        `could not delete ${basename(path)}, the next start will try again: ${message}`,
      )
    }
  }
}

/** As Kafka's texts name a segment, in short. */
export function briefText({ baseOffset, sizeInBytes }: Segment): string {
  return `LogSegment(baseOffset=${baseOffset}, size=${sizeInBytes})`
}

const renameIfPresent = (core: LogCore, path: string) =>
  ifPresent(core.env.files.rename(path, `${path}.deleted`))

const removeIfPresent = (core: LogCore, path: string) => ifPresent(core.env.files.remove(path))

/** A file that somebody removed by hand is no reason to fail; false where there is none. */
async function ifPresent(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof IoError && error.errno === 'ENOENT') return false
    throw error
  }
}
