/**
 * One round of one of this package's backends:
 * `open-many-worker.mjs native|portable WARM-UP-DIRECTORY DIRECTORY WARM-UPS`.
 * Prints the times, and what the process held when all was open, as JSON.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { openLogManager } from '../dist/index.js'

const [backend, warmUp, directory, times] = process.argv.slice(2)
for (let n = 0; n < Number(times); n++) await measure(warmUp)
const { problems, ...found } = await measure(directory)
if (problems.length > 0) throw problems[0].error
console.log(JSON.stringify({ ...found, peakKib: process.resourceUsage().maxRSS }))

async function measure(logDir) {
  const beforeOpen = performance.now()
  const manager = await openLogManager({ logDirs: [logDir], backend })
  const opened = performance.now()
  const logs = manager.logs().length
  const held = { descriptors: descriptors(), indexMaps: indexMaps() }
  const beforeClose = performance.now()
  await manager.close()
  const closeMs = performance.now() - beforeClose
  return { problems: manager.problems, logs, openMs: opened - beforeOpen, closeMs, ...held }
}

/** Of the whole process; null where the kernel does not tell. */
function descriptors() {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : null
}

/** Mappings of index files. */
function indexMaps() {
  if (process.platform !== 'linux') return null
  return readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => /\.(time)?index$/.test(line)).length
}
