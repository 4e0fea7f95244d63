/** How much more is resident when logs or segments are there, divided by how many; garbage is collected before. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog, openLogManager } from '../../../dist/index.js'
import { Absent } from '../absent.mjs'
import { residentKib } from '../process-use.mjs'

const ONE_BATCH = { maxBytes: 1 }
/** Fewer than the package keeps open at once. */
const MOST_OPEN = 400
const SETTLE_MS = 20

/** A log's. The first of a directory have the files of their active segments open, others' are closed again for those that come after. */
export async function logMemory({ data, backend, directory: own }) {
  const [directory] = Object.values(data)
  await warmUp(own, backend)
  const round = async () => {
    const before = await held()
    const manager = await openLogManager({ logDirs: [directory], backend })
    const { length } = [...manager.logs()]
    const sample = sampleOf(before, await held(), length)
    await manager.close()
    return sample
  }
  return { round, close() {} }
}

/** A segment's while its files are not open, or what those add. */
export async function segmentMemory({ data, backend, directory: own }, isOpen) {
  const [directory] = Object.values(data)
  await warmUp(own, backend)
  const round = async () => {
    const before = await held()
    const log = await openLog(join(directory, 'many-0'), { backend, create: false })
    const offsets = log.segmentSizes.filter(({ sizeInBytes }) => sizeInBytes > 0).map((one) => one.baseOffset)
    const closed = await held()
    const opened = offsets.slice(0, MOST_OPEN)
    if (isOpen) for (const offset of opened) log.fetchSync(offset, ONE_BATCH)
    const sample = isOpen
      ? sampleOf(closed, await held(), opened.length)
      : sampleOf(before, closed, offsets.length)
    await log.close()
    return sample
  }
  return { round, close() {} }
}

function sampleOf(before, after, count) {
  const value = (after.residentKib - before.residentKib) / count
  const heapKib = (after.heapKib - before.heapKib) / count
  return { value, operations: count, check: count, readCalls: null, writeCalls: null, extra: { heapKib } }
}

/** Everything that is loaded once and kept. */
async function warmUp(directory, backend) {
  const log = await openLog(join(directory, 'first-0'), { backend })
  log.append([{ value: 'v' }])
  log.fetchSync(0n, ONE_BATCH)
  await log.flush()
  await log.close()
}

/** All that is resident, and what JavaScript's objects and buffers hold of it. */
async function held() {
  for (let n = 0; n < 3; n++) {
    // What a turn has only just let go of is garbage after it.
    await sleep(SETTLE_MS)
    globalThis.gc()
  }
  const kib = residentKib()
  if (kib === null) throw new Absent('this system does not tell what is resident')
  const { heapUsed, external } = process.memoryUsage()
  return { residentKib: kib, heapKib: (heapUsed + external) / 1024 }
}
