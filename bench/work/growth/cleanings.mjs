/** Cleanings of a log, one after the other until nothing is dirty. */
import { join } from 'node:path'
import { openLogManager } from '../../../dist/index.js'
import { MAP_BYTES } from '../../data/map-fills.mjs'
import { MANAGER_CONFIG, onCopy } from '../log-copies.mjs'

export async function cleanings({ directory, data, options, backend }) {
  const [from] = Object.values(data)
  const manager = { ...MANAGER_CONFIG, cleanerDedupeBufferSize: MAP_BYTES[options.mapBytes] }
  const round = () =>
    onCopy({ from, to: join(directory, 'copy'), settle: options.settle }, (copy) =>
      measure({ logDirs: [copy], backend, manager }),
    )
  await round()
  return { round, close() {} }
}

async function measure(options) {
  const manager = await openLogManager(options)
  const [log] = manager.logs()
  const start = performance.now()
  let cleaned = 0
  while ((await log.clean()) !== null) cleaned++
  const value = (performance.now() - start) / 1_000
  const { logEndOffset } = log.offsets
  await manager.close()
  return {
    value,
    operations: cleaned,
    readCalls: null,
    writeCalls: null,
    check: Number(logEndOffset),
    extra: { cleaned },
  }
}
