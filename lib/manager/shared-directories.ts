/**
 * Log directories that logs of this process hold together: opened by the
 * first, released by the last. The lock keeps every other process and thread
 * out; this keeps one log from being opened twice here.
 */

import type { Backend, Files } from '../backend/contract.js'
import { LockedError } from '../errors.js'
import { LogDirectory } from './log-directory.js'

interface Shared {
  readonly opening: Promise<LogDirectory>
  readonly users: Set<string>
  /** Logs that were closed cleanly since the directory was opened. */
  readonly cleanHere: Set<string>
  allClean: boolean
}

const directories = new Map<string, Shared>()
/** Directories on their way out: who opens one again waits for the lock to be gone. */
const releasing = new Map<string, Promise<void>>()

/** A log's part of a shared directory. */
export interface DirectoryShare {
  readonly directory: LogDirectory
  /** Whether the log needs no recovery. */
  readonly wasClean: boolean
  /** Gives the part back; `clean`: the log is flushed. The last one waits for the lock's release. */
  release(clean: boolean): Promise<void>
}

/** `path` is absolute and without links; `name` is the log's. Throws `ERR_LOCKED` if it is open already. */
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
  shared.users.add(name)
  try {
    const directory = await shared.opening
    const wasClean = directory.wasClean || shared.cleanHere.has(name)
    return { directory, wasClean, release: (clean) => leave(path, shared, name, clean) }
  } catch (error) {
    forget(path, shared, name)
    throw error
  }
}

function begin(path: string, backend: Backend, files: Files): Shared {
  const shared = {
    opening: LogDirectory.open(path, backend, files),
    users: new Set<string>(),
    cleanHere: new Set<string>(),
    allClean: true,
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
  if (clean) shared.cleanHere.add(name)
  else shared.allClean = false
  const directory = await shared.opening
  if (!forget(path, shared, name)) return
  const release = directory.release(shared.allClean)
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
