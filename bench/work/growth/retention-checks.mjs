/** Checks of all logs of a directory for what retention may take away, which is nothing. */
import { openLogManager } from '../../../dist/index.js'
import { median } from '../../lib/statistics.mjs'
import { callsBetween } from '../calls-between.mjs'

/** Contenders have the shared directory in turn. */
export async function retentionChecks({ data, options, backend, calls }) {
  const [directory] = Object.values(data)
  return { round: () => measure(directory, options.checks, backend, calls), close() {} }
}

async function measure(directory, checks, backend, calls) {
  const manager = await openLogManager({ logDirs: [directory], backend })
  const logs = manager.logs().length
  const times = []
  // The first finds nothing warm.
  await manager.runRetention()
  const before = calls()
  for (let n = 0; n < checks; n++) {
    const start = performance.now()
    await manager.runRetention()
    times.push(performance.now() - start)
  }
  const used = callsBetween(before, calls(), checks * logs)
  await manager.close()
  return { value: median(times), operations: logs, check: logs, ...used }
}
