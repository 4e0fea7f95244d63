/**
 * One cleaning by one of this package's backends:
 * `clean-worker.mjs native|portable HASH WARM-UPS WARM-UP-DIRECTORY … DIRECTORY`.
 * Prints what it took and what the process held, as JSON. Opening and closing
 * are not part of it.
 */
import { openLogManager } from '../../dist/index.js'
import { MANAGER_CONFIG } from './load.mjs'
import { peakKib, resetPeak, residentKib } from './process-use.mjs'

const [backend, cleanerHash, ...directories] = process.argv.slice(2)
let measured
for (const directory of directories) measured = await clean(directory)
console.log(JSON.stringify(measured))

async function clean(directory) {
  const manager = await openLogManager({
    logDirs: [directory],
    backend,
    manager: { ...MANAGER_CONFIG, cleanerHash },
  })
  const [log] = manager.logs()
  const canReset = resetPeak()
  const beforeKib = residentKib()
  const cpu = process.cpuUsage()
  const start = performance.now()
  const report = await log.clean()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  const { mapMs, keys, recordsRead, recordsWritten, bytesRead, bytesWritten } = report
  const memory = canReset ? { beforeKib, peakKib: peakKib() } : {}
  await manager.close()
  const counts = { keys, recordsRead, recordsWritten, bytesRead, bytesWritten }
  return { ms, mapMs, cpuMs: (user + system) / 1_000, ...counts, ...memory }
}
