/**
 * The exclusive lock of a log directory, for both backends. A holder is either
 * in the kernel's lock table for `.lock` (the addon; a broker) or named in
 * `.lock.pid` (the portable backend, which cannot take a kernel lock). Each
 * takes its own mark first and looks for the other's then, so of two that
 * start at once at least one sees the other.
 *
 * Not caught: a broker that starts while a portable holder runs, and holders
 * on other machines.
 */

import fs from 'node:fs'
import { join } from 'node:path'
import { LockedError } from '../errors.js'
import type { DirectoryLock } from './contract.js'
import { kernelHolder } from './kernel-locks.js'
import { toIoError } from './node-error.js'
import { livePidFileHolder, removeFile, takePidFile } from './pid-file.js'

/** What the addon gives. */
export interface KernelLockPrimitive {
  /**
   * Makes the file if it is missing (mode 0640), locks it, makes sure that the
   * locked file is still the one at `path`, and writes this process's id into it.
   * `release` unlocks and closes; it does not remove the file.
   */
  tryLock(path: string): KernelLock | 'held'
}

export interface KernelLock {
  release(): void
}

/** Takes the lock of `directory`. `ERR_LOCKED` with the holder's pid where it is known. */
export function lockDirectory(directory: string, kernel?: KernelLockPrimitive): DirectoryLock {
  const path = join(directory, '.lock')
  const pidPath = join(directory, '.lock.pid')
  try {
    return kernel === undefined ? lockByPidFile(path, pidPath) : lockByKernel(kernel, path, pidPath)
  } catch (error) {
    throw toIoError(error, path)
  }
}

function lockByKernel(kernel: KernelLockPrimitive, path: string, pidPath: string): DirectoryLock {
  const lock = kernel.tryLock(path)
  if (lock === 'held') throw locked(path, kernelHolder(path)?.pid)
  const holder = livePidFileHolder(pidPath)
  if (holder !== undefined) {
    lock.release()
    throw locked(pidPath, holder.pid)
  }
  return heldLock(path, () => {
    // While the lock is held: a file made by the next holder must not be removed. One that stays is no lock.
    try {
      removeFile(path)
    } finally {
      lock.release()
    }
  })
}

function lockByPidFile(path: string, pidPath: string): DirectoryLock {
  const taken = takePidFile(pidPath)
  if ('holder' in taken) throw locked(pidPath, taken.holder.pid)
  const { lock } = taken
  try {
    fs.closeSync(fs.openSync(path, 'a', 0o640))
    const kernelLock = kernelHolder(path)
    if (kernelLock !== undefined) throw locked(path, kernelLock.pid)
  } catch (error) {
    lock.release()
    throw error
  }
  return heldLock(path, () => {
    try {
      if (kernelHolder(path) === undefined) removeFile(path)
    } finally {
      lock.release()
    }
  })
}

function heldLock(path: string, letGo: () => void): DirectoryLock {
  let isHeld = true
  return {
    path,
    release() {
      if (!isHeld) return
      isHeld = false
      try {
        letGo()
      } catch (error) {
        throw toIoError(error, path)
      }
    },
  }
}

function locked(path: string, pid: number | undefined): LockedError {
  const holder =
    pid === undefined ? 'another process' : pid === process.pid ? 'this process' : `process ${pid}`
  const message = `${path} is held by ${holder}: close the log there, or open with readOnly`
  return new LockedError('ERR_LOCKED', message, pid === undefined ? { path } : { path, pid })
}
