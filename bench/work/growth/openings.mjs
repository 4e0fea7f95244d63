/** Openings of one log of many segments, which was closed cleanly; the closes are not timed. */
import { join } from 'node:path'
import { openLog } from '../../../dist/index.js'
import { callsBetween } from '../calls-between.mjs'
import { indexMaps } from '../process-use.mjs'

export async function openings({ data, options, row, backend, calls }) {
  for (let n = 0; n < options.warmUps; n++) await measure(data['segments-10'], backend, calls)
  const count = row.slice('open-segments-'.length)
  return { round: () => measure(data[`segments-${count}`], backend, calls), close() {} }
}

async function measure(directory, backend, calls) {
  const before = calls()
  const start = performance.now()
  const log = await openLog(join(directory, 'many-0'), { backend, create: false })
  const value = performance.now() - start
  if (log.recovery !== null) throw new Error('it was not closed cleanly')
  const after = calls()
  const operations = log.segmentSizes.length
  const extra = { indexMaps: indexMaps() }
  await log.close()
  return { value, operations, check: operations, ...callsBetween(before, after, operations), extra }
}
