/**
 * The recipe for a log of ours that a broker is to serve: it takes the place
 * of a partition that the cluster has, while the broker is down.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatOffsetCheckpoint,
  HIGH_WATERMARK_FILE,
  LOG_START_FILE,
  parseOffsetCheckpoint,
  RECOVERY_POINT_FILE,
} from '../../../lib/checkpoint/offset-checkpoint.js'

const CHECKPOINTS = [LOG_START_FILE, RECOVERY_POINT_FILE, HIGH_WATERMARK_FILE, 'cleaner-offset-checkpoint']

/** Both log directories were closed cleanly. `name` is `topic-partition`, the same in both. */
export function putInPlace(ours: string, name: string, logDir: string): void {
  const place = join(logDir, name)
  const metadata = readFileSync(join(place, 'partition.metadata'))
  rmSync(place, { recursive: true })
  cpSync(join(ours, name), place, { recursive: true })
  writeFileSync(join(place, 'partition.metadata'), metadata)
  for (const file of CHECKPOINTS) carryLine(join(ours, file), join(logDir, file), name)
}

/** The line of `name` becomes what it is in `from`; where it has none there is none. */
function carryLine(from: string, to: string, name: string): void {
  const offsets = offsetsIn(to)
  const offset = offsetsIn(from).get(name)
  if (offset === undefined) offsets.delete(name)
  else offsets.set(name, offset)
  writeFileSync(to, formatOffsetCheckpoint(offsets))
}

function offsetsIn(path: string): Map<string, bigint> {
  return existsSync(path) ? parseOffsetCheckpoint(path, readFileSync(path, 'utf8')) : new Map()
}
