/**
 * Who holds a kernel lock on a file, without taking one: Linux lists all locks
 * in /proc/locks. Elsewhere the process id that the addon writes into the
 * file is all there is.
 */

import fs from 'node:fs'
import { isAlive, readHolder } from './pid-file.js'

export interface KernelHolder {
  /** Undefined where the kernel does not say (a lock of an open file description) nor the file. */
  readonly pid: number | undefined
}

/** The holder of a lock on the file at `path`, or undefined. */
export function kernelHolder(path: string): KernelHolder | undefined {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const named = readHolder(path)
  const table = lockTable()
  if (table === undefined) return named !== undefined && isAlive(named) ? { pid: named.pid } : undefined
  const pid = table.map((line) => pidOfLock(line, stat)).find((found) => found !== undefined)
  if (pid === undefined) return undefined
  return { pid: pid > 0 ? pid : named?.pid }
}

function lockTable(): string[] | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return fs.readFileSync('/proc/locks', 'utf8').split('\n')
  } catch {
    // A sandbox can hide it; what the file says is then the next best.
    return undefined
  }
}

/** The process of a line about `file`, -1 for one of an open file description: `1: POSIX ADVISORY WRITE 81 08:01:12 0 EOF`. */
function pidOfLock(line: string, file: fs.Stats): number | undefined {
  const match = /^\d+: (?:POSIX|OFDLCK) +\S+ +\S+ +(-?\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) /.exec(line)
  if (match === null || Number(match[4]) !== file.ino) return undefined
  const device = [Number.parseInt(match[2] ?? '', 16), Number.parseInt(match[3] ?? '', 16)] as const
  return isSameDevice(device, file.dev) ? Number(match[1]) : undefined
}

/**
 * Layered file systems give `stat` another device than the lock table, both
 * with major number 0: there the inode's number has to do.
 */
function isSameDevice([major, minor]: readonly [number, number], dev: number): boolean {
  const [statMajor, statMinor] = [majorOf(dev), minorOf(dev)]
  if (major === 0 && statMajor === 0) return true
  return major === statMajor && minor === statMinor
}

// Linux spreads both numbers over the 64 bits of a device.
function majorOf(dev: number): number {
  return (Math.floor(dev / 2 ** 32) & 0xfffff000) | (Math.floor(dev / 2 ** 8) & 0xfff)
}

function minorOf(dev: number): number {
  return (Math.floor(dev / 2 ** 12) & 0xffffff00) | (dev % 256)
}
