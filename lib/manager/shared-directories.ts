/**
 * Log directories that logs of this process hold together: opened by the
 * first, released by the last. The lock keeps every other process and thread
 * out; this keeps one log from being opened twice here.
 */

import { join } from 'node:path'
import type { Backend, Files } from '../backend/contract.js'
import { LockedError } from '../errors.js'
import { LogDirectory, unclean } from './log-directory.js'

interface Shared {
  readonly opening: Promise<LogDirectory>
  readonly users: Set<string>
  /** Logs that went offline since the directory was opened; they need recovery. */
  readonly unclean: Set<string>
}

const directories = new Map<string, Shared>()
/** Directories on their way out: who opens one again waits for the lock to be gone. */
const releasing = new Map<string, Promise<void>>()

/** A log's part of a shared directory. */
export interface DirectoryShare {
  readonly directory: LogDirectory
  /** Gives the part back; `clean`: the log is flushed. The last one waits for the lock's release. */
  release(clean: boolean): Promise<void>
}

/** `path` is absolute (another path to the same directory finds it locked); `name` is the log's. Throws `ERR_LOCKED` if it is open already, `ERR_UNCLEAN` if it needs recovery. */
export async function shareDirectory(
  path: string,
  name: string,
  backend: Backend,
  files: Files,
): Promise<DirectoryShare> {
  await releasing.get(path)
  const shared = directories.get(path) ?? begin(path, backend, files)
  if (shared.users.has(name)) {
    throw new LockedError(
      'ERR_LOCKED',
      `${name} in ${path} is open in this process already; use that log, or close it first`,
      {
        path,
        pid: process.pid,
      },
    )
  }
  if (shared.unclean.has(name)) throw unclean(join(path, name))
  shared.users.add(name)
  try {
    const directory = await shared.opening
    return { directory, release: (clean) => leave(path, shared, name, clean) }
  } catch (error) {
    forget(path, shared, name)
    throw error
  }
}

function begin(path: string, backend: Backend, files: Files): Shared {
  const shared = {
    opening: LogDirectory.open(path, backend, files),
    users: new Set<string>(),
    unclean: new Set<string>(),
  }
  directories.set(path, shared)
  return shared
}

/** True where `name` was the last. */
function forget(path: string, shared: Shared, name: string): boolean {
  shared.users.delete(name)
  if (shared.users.size > 0) return false
  if (directories.get(path) === shared) directories.delete(path)
  return true
}

async function leave(path: string, shared: Shared, name: string, clean: boolean): Promise<void> {
  if (!clean) shared.unclean.add(name)
  const directory = await shared.opening
  if (!forget(path, shared, name)) return
  const release = directory.release(shared.unclean.size === 0)
  const settled = release.then(
    () => undefined,
    () => undefined,
  )
  releasing.set(path, settled)
  try {
    await release
  } finally {
    if (releasing.get(path) === settled) releasing.delete(path)
  }
}
