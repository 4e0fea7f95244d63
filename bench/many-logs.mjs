/**
 * A log directory of many equal logs for `open-many.mjs`: one is written by
 * this package and closed cleanly, the others are copies of it under other
 * names, each with a topic id of its own. Only the marker's directory is
 * shared, so the result is a directory that was closed cleanly.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLogManager } from '../dist/index.js'

const BATCHES_A_SEGMENT = 4
/** With it each batch but a segment's first is in the indexes. */
const RECORD = { value: Buffer.alloc(5_000, 'v'), timestamp: 1_794_024_676_000 }

/** Makes `count` logs `TOPIC-0` … of `segments` segments each in `directory`. */
export async function makeLogs(directory, topic, count, segments) {
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory] })
  const log = await manager.createLog({ topic, partition: 0 })
  for (let segment = 0; segment < segments; segment++) {
    if (segment > 0) log.roll()
    for (let batch = 0; batch < BATCHES_A_SEGMENT; batch++) log.append([RECORD])
  }
  await manager.close()
  const names = readdirSync(log.path)
  for (let n = 1; n < count; n++) copyLog(log.path, join(directory, `${topic}-${n}`), names)
}

/** True where the last to hold `directory` closed it cleanly: nobody needs to recover anything. */
export function isClean(directory) {
  return existsSync(join(directory, '.kafka_cleanshutdown'))
}

function copyLog(from, to, names) {
  mkdirSync(to)
  for (const name of names) copyFileSync(join(from, name), join(to, name))
  const topicId = randomBytes(16).toString('base64url')
  writeFileSync(join(to, 'partition.metadata'), `version: 0\ntopic_id: ${topicId}`)
}
