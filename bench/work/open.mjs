/** Our side of rows/open.mjs; Kafka's is OpenRow.java. Every directory was closed cleanly by whoever had it before. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openLog, openLogManager } from '../../dist/index.js'
import { descriptors, indexMaps } from './process-use.mjs'

const many = (context) => opening(context, `open-many-${context.row.split('-').at(-1)}`, openMany)

export const work = {
  'open-many-500': many,
  'open-many-1000': many,
  'open-many-1900': many,
  'open-10000-segments': (context) => opening(context, 'open-10000-segments', openOne),
}

async function opening({ backend, data, options }, name, open) {
  for (let n = 0; n < options.warmUps; n++) await measure(openMany, data['open-many-warm'], backend)
  return { round: () => measure(open, data[name], backend), close() {} }
}

async function measure(open, directory, backend) {
  if (!existsSync(join(directory, '.kafka_cleanshutdown'))) throw new Error('it was not closed cleanly')
  const beforeOpen = performance.now()
  const opened = await open(directory, backend)
  const openMs = performance.now() - beforeOpen
  const held = { descriptors: descriptors(), indexMaps: indexMaps() }
  const operations = opened.count()
  const beforeClose = performance.now()
  await opened.close()
  const closeMs = performance.now() - beforeClose
  return { value: openMs, operations, check: operations, extra: { closeMs, ...held } }
}

async function openMany(directory, backend) {
  const manager = await openLogManager({ logDirs: [directory], backend })
  if (manager.problems.length > 0) throw manager.problems[0].error
  return { count: () => manager.logs().length, close: () => manager.close() }
}

async function openOne(directory, backend) {
  const log = await openLog(join(directory, 'many-0'), { backend })
  return { count: () => 1, close: () => log.close() }
}
