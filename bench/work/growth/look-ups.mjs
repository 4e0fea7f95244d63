/** Random offsets of a sealed segment, each looked up in index and file; all is in the page cache. */
import { join } from 'node:path'
import { openLog } from '../../../dist/index.js'
import { Random } from '../keys.mjs'
import { copyLogDirectory } from '../log-copies.mjs'

export async function lookUps({ directory, data, options, backend }) {
  const copy = join(directory, 'copy')
  copyLogDirectory(Object.values(data)[0], copy)
  const log = await openLog(join(copy, 'sized-0'), { backend })
  const end = Number(log.offsets.logEndOffset)
  const random = new Random()
  const offsets = Array.from({ length: options.lookUps }, () => BigInt(random.next() % end))
  const round = () => {
    const start = performance.now()
    for (const offset of offsets) log.locate(offset)
    const ns = (performance.now() - start) * 1e6
    return { value: ns / offsets.length, operations: offsets.length, check: end }
  }
  round()
  return { round, close: () => log.close() }
}
