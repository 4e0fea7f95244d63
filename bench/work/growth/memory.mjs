/** How much more is resident when logs or segments are there, divided by how many; garbage is collected before. */
import { join } from 'node:path'
import { openLog, openLogManager } from '../../../dist/index.js'
import { Absent } from '../absent.mjs'
import { residentKib } from '../process-use.mjs'

const ONE_BATCH = { maxBytes: 1 }
/** Fewer than the package keeps open at once. */
const MOST_OPEN = 500

/** A log's, with none of its files open or with those of its active segment. */
export async function logMemory({ data, backend, directory: own }, isOpen) {
  const [directory] = Object.values(data)
  await warmUp(own, backend)
  const round = async () => {
    const before = resident()
    const manager = await openLogManager({ logDirs: [directory], backend })
    const logs = [...manager.logs()]
    if (isOpen) for (const log of logs) log.fetchSync(log.offsets.logEndOffset - 1n, ONE_BATCH)
    const value = (resident() - before) / logs.length
    await manager.close()
    return { value, operations: logs.length, check: logs.length }
  }
  return { round, close() {} }
}

/** A segment's while its files are not open, or what those add. */
export async function segmentMemory({ data, backend, directory: own }, isOpen) {
  const [directory] = Object.values(data)
  await warmUp(own, backend)
  const round = async () => {
    const first = resident()
    const log = await openLog(join(directory, 'many-0'), { backend, create: false })
    const offsets = log.segmentSizes.filter(({ sizeInBytes }) => sizeInBytes > 0).map((one) => one.baseOffset)
    const closed = resident()
    const opened = offsets.slice(0, MOST_OPEN)
    if (isOpen) for (const offset of opened) log.fetchSync(offset, ONE_BATCH)
    const value = isOpen ? (resident() - closed) / opened.length : (closed - first) / offsets.length
    await log.close()
    return { value, operations: offsets.length, check: offsets.length }
  }
  return { round, close() {} }
}

/** Everything that is loaded once and kept. */
async function warmUp(directory, backend) {
  const log = await openLog(join(directory, 'first-0'), { backend })
  log.append([{ value: 'v' }])
  log.fetchSync(0n, ONE_BATCH)
  await log.flush()
  await log.close()
}

function resident() {
  for (let n = 0; n < 3; n++) globalThis.gc()
  const kib = residentKib()
  if (kib === null) throw new Absent('this system does not tell what is resident')
  return kib
}
