/**
 * Replaces a small file so that a stop at any moment leaves the old content or
 * the new: write NAME.tmp, fsync it, rename it over NAME, fsync the directory.
 */

import { dirname } from 'node:path'
import type { Files, Lane } from '../backend/contract.js'

/** Checkpoints are small; a longer one is damaged or not ours. */
export const MAX_CHECKPOINT_BYTES = 64 * 1024 * 1024

/** What replacing a file takes. */
export interface FileAccess {
  readonly files: Files
  readonly lane: Lane
}

/** On return the new content is on disk, under its name. */
export async function writeAtomically(
  { files, lane }: FileAccess,
  path: string,
  content: string,
): Promise<void> {
  const temporary = `${path}.tmp`
  await files.write(temporary, Buffer.from(content, 'utf8'))
  await lane.flushPath(temporary)
  await files.rename(temporary, path)
  await lane.flushPath(dirname(path))
}

/** Makes `path` and what is missing above it; their names are on disk on return. True where it was made. */
export async function makeDirectoryDurably(access: FileAccess, path: string): Promise<boolean> {
  const parent = dirname(path)
  if (parent !== path && !(await access.files.exists(parent))) await makeDirectoryDurably(access, parent)
  const made = await access.files.makeDirectory(path)
  if (made) await access.lane.flushPath(parent)
  return made
}

/** Text of a small file, or undefined where it is missing. */
export async function readText(files: Files, path: string): Promise<string | undefined> {
  return (await files.read(path, MAX_CHECKPOINT_BYTES))?.toString('utf8')
}
