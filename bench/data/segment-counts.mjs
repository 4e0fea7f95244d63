/**
 * Logs of very many segments of one record each, closed cleanly: the first
 * segment is written by this package, the others are copies of it under other
 * base offsets, which no checksum covers.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLogManager } from '../../dist/index.js'
import { LASTING } from './lasting.mjs'

const COUNTS = [10, 100, 1_000, 10_000, 100_000]
const MOST_IN_SMOKE = 20
const RECORD = { value: Buffer.alloc(50, 'v'), timestamp: 1_794_024_676_000 }
const SIDE_FILES = ['.index', '.timeindex', '.snapshot']

export const data = Object.fromEntries(
  COUNTS.map((count) => [
    `segments-${count}`,
    (path, size) => makeSegments(path, size === 'smoke' ? Math.min(count, MOST_IN_SMOKE) : count),
  ]),
)

/** A log `many-0` in `directory` with `count` segments, the last of them without records. */
async function makeSegments(directory, count) {
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory] })
  const log = await manager.createLog({ topic: 'many', partition: 0 }, LASTING)
  for (let n = 0; n < 2; n++) {
    log.append([RECORD])
    log.roll()
  }
  await manager.close()
  const { path } = log
  const name = (offset) => join(path, String(offset).padStart(20, '0'))
  const bytes = readFileSync(`${name(1)}.log`)
  const active = count - 1
  for (const file of readdirSync(path).filter((file) => file.startsWith(String(2).padStart(20, '0')))) {
    renameSync(join(path, file), `${name(active)}${file.slice(20)}`)
  }
  for (let offset = 2; offset < active; offset++) {
    bytes.writeBigInt64BE(BigInt(offset), 0)
    writeFileSync(`${name(offset)}.log`, bytes)
    for (const suffix of SIDE_FILES) copyFileSync(`${name(1)}${suffix}`, `${name(offset)}${suffix}`)
  }
  for (const file of ['recovery-point-offset-checkpoint', 'replication-offset-checkpoint']) {
    writeFileSync(join(directory, file), `0\n1\nmany 0 ${active}\n`)
  }
}
