/**
 * Logs of a process's own: copies of data sets that it may write to, and new
 * ones. The `.log` files of a copy are links: nobody appends to them.
 */
import { copyFileSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '../../dist/index.js'

export const LOG = 'bench-0'
/** Name of the files of a log's first segment. */
export const FIRST_SEGMENT = '00000000000000000000'

/** Opens a copy of the log of a data set. */
export async function openCopy({ directory, backend }, home) {
  const copy = join(directory, 'copy')
  copyHome(home, copy)
  return openLog(join(copy, LOG), { backend, create: false })
}

function copyHome(from, to) {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyHome(source, target)
    else if (entry.name.endsWith('.log')) linkSync(source, target)
    else copyFileSync(source, target)
  }
}

/** Runs `work` on a new log, which is gone when it has ended. Records are older than retention allows. */
export async function onNewLog({ directory, backend }, config, work) {
  const home = join(directory, 'new')
  mkdirSync(home)
  const log = await openLog(join(home, LOG), { backend, config: { retentionMs: -1, ...config } })
  try {
    return await work(log)
  } finally {
    await log.close()
    rmSync(home, { recursive: true })
  }
}
