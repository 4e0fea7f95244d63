/**
 * Log directories that logs of this process hold together: opened by the
 * first, released by the last. The lock keeps every other process and thread
 * out; this keeps one log from being opened twice here.
 */

import { join } from 'node:path'
import type { Backend, BackendName, Files } from '../backend/contract.js'
import { LockedError } from '../errors.js'
import { LogDirectory, unclean } from './log-directory.js'

interface Shared {
  readonly opening: Promise<LogDirectory>
  readonly users: Set<string>
  /** Logs that went offline since the directory was opened; they need recovery. */
  readonly unclean: Set<string>
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
  /** Whoever wants the directory waits for `end` first, whatever becomes of it. */
  ends(end: Promise<void>): void
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
  if (shared.unclean.has(name)) throw unclean(join(path, name))
  shared.users.add(name)
  try {
    const directory = await shared.opening
    return shareOf(path, shared, name, directory)
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
    return shareOf(path, shared, WHOLE, directory)
  } catch (error) {
    forget(path, shared, WHOLE)
    throw error
  }
}

function shareOf(path: string, shared: Shared, name: string, directory: LogDirectory): DirectoryShare {
  return {
    directory,
    ends: (end) => void waitedFor(path, end).catch(() => undefined),
    release: (clean) => leave(path, shared, name, clean),
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
  await waitedFor(path, directory.release(shared.unclean.size === 0))
}

/** `end`, which others that want the directory wait for. */
async function waitedFor(path: string, end: Promise<void>): Promise<void> {
  const settled = end.then(
    () => undefined,
    () => undefined,
  )
  releasing.set(path, settled)
  await settled
  if (releasing.get(path) === settled) releasing.delete(path)
  await end
}
