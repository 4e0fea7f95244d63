/**
 * What goes on beside the service: flushes of its log, recoveries of another,
 * cleanings of a third. Each goes on until it is told to stop, and then ends
 * what it has begun.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog, openLogManager } from '../../../dist/index.js'
import { forgetClose } from '../../data/crashed-log.mjs'
import { MANAGER_CONFIG } from '../log-copies.mjs'

const FLUSH_EVERY_MS = 100
const PAUSE_MS = 10

/** `action` again and again; `stop()` resolves when the last has ended, with how many there were. */
export function repeat(action) {
  let isStopped = false
  const done = (async () => {
    let count = 0
    for (; !isStopped && (await action()); count++) await sleep(PAUSE_MS)
    return count
  })()
  done.catch(() => undefined) // told by stop()
  return {
    stop() {
      isStopped = true
      return done
    },
  }
}

/** Flushes `log`; `onFlush(true)` before each, `onFlush(false)` after it. */
export function flushes(log, onFlush) {
  return repeat(async () => {
    onFlush(true)
    await log.flush()
    onFlush(false)
    await sleep(FLUSH_EVERY_MS)
    return true
  })
}

/** Recovers the log in `directory`, which scans all of it. */
export function recoveries(directory, backend) {
  return repeat(async () => {
    await forgetClose(directory)
    const log = await openLog(join(directory, 'crashed-0'), { backend })
    if (log.recovery === null) throw new Error('nothing was recovered')
    await log.close()
    return true
  })
}

/** Cleans the log of each directory once, and then no more. */
export async function cleanings(directories, backend) {
  const options = { backend, manager: MANAGER_CONFIG }
  const managers = []
  for (const directory of directories)
    managers.push(await openLogManager({ logDirs: [directory], ...options }))
  let next = 0
  const running = repeat(async () => {
    if (next === managers.length) return false
    const [log] = managers[next++].logs()
    if ((await log.clean()) === null) throw new Error('nothing was cleaned')
    return true
  })
  return {
    async stop() {
      const count = await running.stop()
      for (const manager of managers) await manager.close()
      return count
    },
  }
}
