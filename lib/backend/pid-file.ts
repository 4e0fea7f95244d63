/**
 * A lock made of a file that names its holder: `pid startTime`. It appears
 * whole or not at all (a link to a file that is already written), so a file
 * that cannot be read as that was torn by a crash and is stale, as is one whose
 * process is gone or has started at another time.
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
}

/** Takes the lock, or answers with who holds it. This process is a holder as any other. */
export function takePidFile(path: string): Holder | undefined {
  for (;;) {
    if (create(path)) return undefined
    const holder = readHolder(path)
    if (holder === undefined) continue
    if (isAlive(holder)) return holder
    const rival = removeStale(path, holder)
    if (rival !== undefined) return rival
  }
}

/** The live holder of the lock at `path`, if there is one. */
export function livePidFileHolder(path: string): Holder | undefined {
  const holder = readHolder(path)
  return holder !== undefined && isAlive(holder) ? holder : undefined
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
  const match = /^(\d{1,10})(?: (\d+))?\s*$/.exec(text)
  const pid = Number(match?.[1])
  // Beyond int32 and at 0 a signal would go to groups of processes.
  const isPid = pid > 0 && pid <= INT32_MAX
  return { text, pid: isPid ? pid : undefined, startTime: match?.[2] ?? '0' }
}

export function isAlive({ pid, startTime }: Holder): boolean {
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
  const right = `${path}.${stale.pid ?? 'torn'}-${stale.startTime}`
  const rival = takePidFile(right)
  if (rival !== undefined) return rival
  try {
    if (readHolder(path)?.text === stale.text) removeFile(path)
  } finally {
    removeFile(right)
  }
  return undefined
}

/** Makes the file with this process's name in it; false where there is one. */
function create(path: string): boolean {
  const draft = `${path}.new-${process.pid}-${threadId}`
  const content = `${process.pid} ${startTimeOf(process.pid)}\n`
  try {
    fs.writeFileSync(draft, content, { mode: 0o640 })
    return succeeds(
      () => fs.linkSync(draft, path),
      () => fs.writeFileSync(path, content, { mode: 0o640, flag: 'wx' }),
    )
  } finally {
    removeFile(draft)
  }
}

/** Tries to link; `otherwise` where the file system has no links (the file is then empty for an instant). */
function succeeds(link: () => void, otherwise: () => void): boolean {
  try {
    link()
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    const hasNoLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].some((errno) => isErrno(error, errno))
    if (!hasNoLinks) throw error
    return succeeds(otherwise, () => {
      throw error
    })
  }
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
