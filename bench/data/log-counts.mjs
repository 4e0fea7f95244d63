/** Directories of many small logs of two segments, closed cleanly; retention takes nothing from them. */

import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLogManager } from '../../dist/index.js'
import { LASTING } from './lasting.mjs'

const COUNTS = [10, 100, 1_000, 10_000]
const MOST_IN_SMOKE = 10
const RECORD = { value: Buffer.alloc(50, 'v'), timestamp: 1_794_024_676_000 }
const CHECKPOINTS = ['recovery-point-offset-checkpoint', 'replication-offset-checkpoint']

export const data = Object.fromEntries(
  COUNTS.map((count) => [
    `logs-${count}`,
    (path, size) => makeLogs(path, size === 'smoke' ? Math.min(count, MOST_IN_SMOKE) : count),
  ]),
)

/** Logs `many-0` … in `directory`; the first is written by this package, the others are copies of it. */
async function makeLogs(directory, count) {
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory] })
  const log = await manager.createLog({ topic: 'many', partition: 0 }, LASTING)
  log.append([RECORD])
  log.roll()
  log.append([RECORD])
  await manager.close()
  const names = readdirSync(log.path)
  for (let n = 1; n < count; n++) copyLog(log.path, join(directory, `many-${n}`), names)
  const ends = Array.from({ length: count }, (_, n) => `many ${n} 2\n`).join('')
  for (const file of CHECKPOINTS) writeFileSync(join(directory, file), `0\n${count}\n${ends}`)
}

function copyLog(from, to, names) {
  mkdirSync(to)
  for (const name of names) copyFileSync(join(from, name), join(to, name))
  const topicId = randomBytes(16).toString('base64url')
  writeFileSync(join(to, 'partition.metadata'), `version: 0\ntopic_id: ${topicId}`)
}
