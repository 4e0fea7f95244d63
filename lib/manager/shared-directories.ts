/**
 * Log directories that logs of this process hold together: opened by the
 * first, released by the last. The lock keeps every other process and thread
 * out; this keeps one log from being opened twice here.
 */

import type { Backend, BackendName, Files } from '../backend/contract.js'
import { LockedError } from '../errors.js'
import { LogDirectory } from './log-directory.js'

interface Shared {
  readonly opening: Promise<LogDirectory>
  readonly users: Set<string>
  /** Logs that were closed since the directory was opened, by name: cleanly, or so that they need recovery. */
  readonly closed: Map<string, boolean>
  /** Its threads take files of this backend alone. */
  readonly backend: BackendName
  /** A manager has the directory for itself. */
  readonly isWhole: boolean
}

const directories = new Map<string, Shared>()
/** Directories on their way out: who opens one again waits for the lock to be gone. */
const releasing = new Map<string, Promise<void>>()

/** A log's part of a shared directory. */
export interface DirectoryShare {
  readonly directory: LogDirectory
  /** The log needs no recovery. */
  readonly wasClean: boolean
  /** Gives the part back; `clean`: the log is flushed; `unopened`: it is as it was. The last one waits for the lock's release. */
  release(outcome: boolean | 'unopened'): Promise<void>
}

/** `path` is absolute (another path to the same directory finds it locked); `name` is the log's. Throws `ERR_LOCKED` if it is open already. */
export async function shareDirectory(
  path: string,
  name: string,
  backend: Backend,
  files: Files,
): Promise<DirectoryShare> {
  await releasing.get(path)
  const shared = directories.get(path) ?? begin(path, backend, files, false)
  if (shared.isWhole)
    throw heldHere(path, `${path} is held by a log manager of this process; ask it for ${name}`)
  if (shared.backend !== backend.name) {
    const message = `${path} is in use in this process with the ${shared.backend} backend; open ${name} with the same`
    throw heldHere(path, message)
  }
  if (shared.users.has(name)) {
    throw heldHere(
      path,
      `${name} in ${path} is open in this process already; use that log, or close it first`,
    )
  }
  shared.users.add(name)
  try {
    const directory = await shared.opening
    const wasClean = shared.closed.get(name) ?? directory.wasClean
    return { directory, wasClean, release: (outcome) => leave(path, shared, name, outcome) }
  } catch (error) {
    forget(path, shared, name)
    throw error
  }
}

/** The whole of a directory, for a manager. Throws `ERR_LOCKED` where a log or a manager of this process has it. */
export async function takeDirectory(path: string, backend: Backend, files: Files): Promise<DirectoryShare> {
  await releasing.get(path)
  if (directories.has(path))
    throw heldHere(path, `${path} is in use in this process already; close it there first`)
  const shared = begin(path, backend, files, true)
  shared.users.add(WHOLE)
  try {
    const directory = await shared.opening
    const { wasClean } = directory
    return { directory, wasClean, release: (outcome) => leave(path, shared, WHOLE, outcome) }
  } catch (error) {
    forget(path, shared, WHOLE)
    throw error
  }
}

/** No log has this name. */
const WHOLE = '*'

function heldHere(path: string, message: string): LockedError {
  return new LockedError('ERR_LOCKED', message, { path, pid: process.pid })
}

function begin(path: string, backend: Backend, files: Files, isWhole: boolean): Shared {
  const shared = {
    isWhole,
    backend: backend.name,
    opening: LogDirectory.open(path, backend, files),
    users: new Set<string>(),
    closed: new Map<string, boolean>(),
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

async function leave(
  path: string,
  shared: Shared,
  name: string,
  outcome: boolean | 'unopened',
): Promise<void> {
  if (outcome !== 'unopened') shared.closed.set(name, outcome)
  const directory = await shared.opening
  if (!forget(path, shared, name)) return
  const release = isClean(directory, shared).then((clean) => directory.release(clean))
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

/** Every log that was closed was clean then, and so are those that were not opened: as they were found, or there is none. */
async function isClean(directory: LogDirectory, { closed, isWhole }: Shared): Promise<boolean> {
  if ([...closed.values()].includes(false)) return false
  if (directory.wasClean || isWhole) return true
  try {
    return [...(await directory.logNames())].every((name) => closed.has(name))
  } catch {
    // The directory cannot be listed: who knows what lies there. The next start scans.
    return false
  }
}
