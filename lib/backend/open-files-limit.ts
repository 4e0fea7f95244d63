/**
 * How many files this process may have open. Linux tells it in /proc; Node has
 * no call for it.
 */

import fs from 'node:fs'

/** Undefined where the system does not say, or sets no limit. */
export function openFilesLimit(): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return limitIn(fs.readFileSync('/proc/self/limits', 'latin1'))
  } catch {
    // A sandbox can hide it.
    return undefined
  }
}

/** The soft limit of a line like `Max open files            1024                 4096                 files`. */
export function limitIn(text: string): number | undefined {
  const match = /^Max open files +(\d+) /m.exec(text)
  return match === null ? undefined : Number(match[1])
}
