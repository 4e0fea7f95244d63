/**
 * A lock made of a file that names its holder: `pid startTime fd name`. It
 * appears whole or not at all (a link to a file that is already written), so a
 * file that cannot be read as that was torn by a crash and is stale, as is one
 * whose process is gone or has started at another time.
 *
 * A holder keeps the file open until it has removed it (not on Windows, which
 * cannot remove open files; `fd name` is then missing). Node closes a thread's
 * files when the thread ends, so within this process a file that is not open
 * under the descriptor that it names belonged to a terminated worker: stale too.
 *
 * A stale file is removed only by who holds the right to it, a lock of the same
 * kind that is named after the dead holder; so nobody removes the file of a
 * holder that came just before.
 */

import fs from 'node:fs'
import { threadId } from 'node:worker_threads'
import { INT32_MAX } from '../base/int64.js'
import { isErrno } from './node-error.js'

export interface Holder {
  readonly text: string
  /** Undefined where the text names none. */
  readonly pid: number | undefined
  /** In the kernel's ticks since boot; '0' where the platform does not tell. */
  readonly startTime: string
  /** Of that process, open while the lock is held; undefined where the text has none. */
  readonly fd: number | undefined
}

export interface PidFile {
  /** Once only. */
  release(): void
}

const keepsOpen = process.platform !== 'win32'

let taken = 0

/** Takes the lock, or answers with who holds it. This process is a holder as any other. */
export function takePidFile(path: string): { readonly lock: PidFile } | { readonly holder: Holder } {
  for (;;) {
    const lock = create(path)
    if (lock !== undefined) return { lock }
    const holder = readHolder(path)
    if (holder === undefined) continue
    if (isHeld(path, holder)) return { holder }
    const rival = removeStale(path, holder)
    if (rival !== undefined) return { holder: rival }
  }
}

/** The live holder of the lock at `path`, if there is one. */
export function livePidFileHolder(path: string): Holder | undefined {
  const holder = readHolder(path)
  return holder !== undefined && isHeld(path, holder) ? holder : undefined
}

/** What the file at `path` says, or undefined where it is missing. */
export function readHolder(path: string): Holder | undefined {
  let text: string
  try {
    text = fs.readFileSync(path, 'latin1').slice(0, 100)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
  const match = /^(\d{1,10})(?: (\d+)(?: (\d{1,9}) \S+)?)?\s*$/.exec(text)
  const pid = Number(match?.[1])
  // Beyond int32 and at 0 a signal would go to groups of processes.
  const isPid = pid > 0 && pid <= INT32_MAX
  const fd = match?.[3] === undefined ? undefined : Number(match[3])
  return { text, pid: isPid ? pid : undefined, startTime: match?.[2] ?? '0', fd }
}

/** Whether the file at `path`, which names `holder`, is a lock: its process lives, and its thread where we can tell. */
function isHeld(path: string, holder: Holder): boolean {
  if (!isAlive(holder)) return false
  const { pid, fd } = holder
  return pid !== process.pid || fd === undefined || isOpenHere(path, fd)
}

/** Whether `fd` of this process is the file at `path`; true as well where that cannot be told. */
function isOpenHere(path: string, fd: number): boolean {
  try {
    const [file, open] = [fs.statSync(path), fs.fstatSync(fd)]
    return file.ino === open.ino && file.dev === open.dev
  } catch (error) {
    return !isErrno(error, 'EBADF')
  }
}

/** Whether the process lives that `holder` names. */
export function isAlive({ pid, startTime }: Pick<Holder, 'pid' | 'startTime'>): boolean {
  if (pid === undefined) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false
  }
  const started = startTimeOf(pid)
  return startTime === '0' || started === '0' || startTime === started
}

/** Removes a file; a missing one is fine. */
export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}

/** Removes the file of a dead holder; answers with a live process that is about to do the same. */
function removeStale(path: string, stale: Holder): Holder | undefined {
  const right = takePidFile(`${path}.${stale.pid ?? 'torn'}-${stale.startTime}`)
  if ('holder' in right) return right.holder
  try {
    // No two takings have the same text: it is still the dead one's.
    if (readHolder(path)?.text === stale.text) removeFile(path)
  } finally {
    right.lock.release()
  }
  return undefined
}

/** Makes the file with this process's name in it; undefined where there is one. */
function create(path: string): PidFile | undefined {
  const draft = `${path}.new-${process.pid}-${threadId}`
  try {
    const fd = writeName(draft, 'w')
    try {
      fs.linkSync(draft, path)
      return heldFile(path, fd)
    } catch (error) {
      close(fd)
      if (isErrno(error, 'EEXIST')) return undefined
      if (!hasNoLinks(error)) throw error
    }
    return createInPlace(path)
  } finally {
    removeFile(draft)
  }
}

/** For file systems without links: the file is empty for an instant. */
function createInPlace(path: string): PidFile | undefined {
  try {
    return heldFile(path, writeName(path, 'wx'))
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return undefined
    throw error
  }
}

function hasNoLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].some((errno) => isErrno(error, errno))
}

/** Makes a file with this process's name in it; its descriptor, where that stays open. */
function writeName(path: string, flags: 'w' | 'wx'): number | undefined {
  const fd = fs.openSync(path, flags, 0o640)
  let isKept = false
  try {
    const thread = keepsOpen ? ` ${fd} ${threadId}.${taken++}` : ''
    fs.writeFileSync(fd, `${process.pid} ${startTimeOf(process.pid)}${thread}\n`)
    isKept = keepsOpen
  } finally {
    if (!isKept) fs.closeSync(fd)
  }
  return isKept ? fd : undefined
}

function heldFile(path: string, fd: number | undefined): PidFile {
  return {
    release() {
      try {
        removeFile(path)
      } finally {
        close(fd)
      }
    },
  }
}

function close(fd: number | undefined): void {
  if (fd !== undefined) fs.closeSync(fd)
}

function startTimeOf(pid: number): string {
  if (process.platform !== 'linux') return '0'
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command's name, in parentheses, may hold spaces; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0'
  } catch {
    return '0'
  }
}
