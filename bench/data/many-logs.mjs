/**
 * Log directories of many equal logs: one log is written by this package and
 * closed cleanly, the others are copies of it under other names, each with a
 * topic id of its own; and one of a single log of very many segments. Opening
 * and closing them leaves them as they were, so all contenders share them.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLogManager } from '../../dist/index.js'

const SEGMENTS = 10
const BATCHES_A_SEGMENT = 4
/** With it each batch but a segment's first is in the indexes. */
const RECORD = { value: Buffer.alloc(5_000, 'v'), timestamp: 1_794_024_676_000 }
const TOPIC = 'many'

const many = (logs) => (path, size) => makeLogs(path, size === 'smoke' ? 5 : logs, SEGMENTS)

export const data = {
  'open-many-warm': many(50),
  'open-many-500': many(500),
  'open-many-1000': many(1_000),
  'open-many-1900': many(1_900),
  'open-10000-segments': (path, size) => makeLogs(path, 1, { full: 10_000, short: 2_000, smoke: 20 }[size]),
}

/** Makes `count` logs `many-0` … of `segments` segments each in `directory`, the last of them without records. */
async function makeLogs(directory, count, segments) {
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory] })
  const log = await manager.createLog({ topic: TOPIC, partition: 0 })
  for (let segment = 1; segment < segments; segment++) {
    for (let batch = 0; batch < BATCHES_A_SEGMENT; batch++) log.append([RECORD])
    log.roll()
  }
  await manager.close()
  const names = readdirSync(log.path)
  for (let n = 1; n < count; n++) copyLog(log.path, join(directory, `${TOPIC}-${n}`), names)
}

function copyLog(from, to, names) {
  mkdirSync(to)
  for (const name of names) copyFileSync(join(from, name), join(to, name))
  const topicId = randomBytes(16).toString('base64url')
  writeFileSync(join(to, 'partition.metadata'), `version: 0\ntopic_id: ${topicId}`)
}
