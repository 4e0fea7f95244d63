/** Checks of all logs of a directory for what retention may take away, which is nothing. */
import { openLogManager } from '../../../dist/index.js'
import { median } from '../../lib/statistics.mjs'

/** Contenders have the shared directory in turn. */
export async function retentionChecks({ data, options, backend }) {
  const [directory] = Object.values(data)
  return { round: () => measure(directory, options.checks, backend), close() {} }
}

async function measure(directory, checks, backend) {
  const manager = await openLogManager({ logDirs: [directory], backend })
  const logs = manager.logs().length
  const times = []
  // The first finds nothing warm.
  for (let n = -1; n < checks; n++) {
    const start = performance.now()
    await manager.runRetention()
    if (n >= 0) times.push(performance.now() - start)
  }
  await manager.close()
  return { value: median(times), operations: logs, check: logs }
}
