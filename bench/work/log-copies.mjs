/**
 * Log directories to be cleaned, copied from a data set. Sealed segments'
 * `.log` files are hard links: nobody writes to them, a cleaning only replaces
 * them. Kafka's side is LogCopies.java.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Settings of a log, under this package's names; Kafka's own are in CleanRow.java. */
export const LOG_CONFIG = { cleanupPolicy: ['compact'], compressionType: 'producer' }
/** No cleaner looks for work by itself. */
export const MANAGER_CONFIG = { cleanerEnable: false }

/** Runs `action` with a copy of `from` at `to`, with `settle` when nobody's writes wait for the disk any more; the copy goes afterwards. */
export async function onCopy({ from, to, settle }, action) {
  try {
    copyLogDirectory(from, to)
    if (settle && process.platform !== 'win32') execFileSync('sync')
    return await action(to)
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
}

/** The log directory `from` at `to`, which is not there yet. */
export function copyLogDirectory(from, to) {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyLog(source, target)
    else copyFileSync(source, target)
  }
}

function copyLog(from, to) {
  mkdirSync(to)
  const names = readdirSync(from)
  const logs = names.filter((name) => name.endsWith('.log')).sort()
  const active = logs.at(-1)
  for (const name of names) {
    const isSealed = name.endsWith('.log') && name !== active
    const copy = isSealed ? linkSync : copyFileSync
    copy(join(from, name), join(to, name))
  }
}
