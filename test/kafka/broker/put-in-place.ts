/**
 * The recipe for a log of ours that a broker is to serve: it takes the place
 * of a partition that the cluster has, while the broker is down and our log is
 * closed. `topic-partition` is the same in both. What each step is for was
 * found by leaving it out; roundtrip.test.ts does so too (`misplaced.ts`).
 *
 * 1. The cluster's `partition.metadata` stays. With another topic id in it, or
 *    without it, the broker sets the directory aside as stray.
 * 2. All other files are ours. `partition-log.properties` can stay: the broker
 *    leaves it alone. `leader-epoch-checkpoint` must come along: without it the
 *    broker knows no leader epoch but its own.
 * 3. The lines of the checkpoints become ours, or go where we have none:
 *    - `log-start-offset-checkpoint`: without our line the log starts at its
 *      first segment again; an old line behind our end makes the broker delete
 *      every record.
 *    - `recovery-point-offset-checkpoint`: not looked at after a clean
 *      shutdown; an old line above ours would later, after a crash, keep the
 *      broker from recovering what it appended below.
 *    - `replication-offset-checkpoint`: makes no difference with one replica.
 *    - `cleaner-offset-checkpoint`: an old line behind our end is a warning and
 *      ignored; one below keeps what lies below from being cleaned.
 *
 * Both directories keep their clean-shutdown marker. Leader epochs above the
 * topic's are dropped by the broker, with a warning; records stay.
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
import { PARTITION_METADATA_FILE } from '../../../lib/checkpoint/partition-metadata.js'

const CHECKPOINTS = [LOG_START_FILE, RECOVERY_POINT_FILE, HIGH_WATERMARK_FILE, 'cleaner-offset-checkpoint']

/** `ours` is the log directory in which our log `name` lies, `logDir` the broker's. */
export function putInPlace(ours: string, name: string, logDir: string): void {
  const place = join(logDir, name)
  const metadata = readFileSync(join(place, PARTITION_METADATA_FILE))
  rmSync(place, { recursive: true })
  cpSync(join(ours, name), place, { recursive: true })
  writeFileSync(join(place, PARTITION_METADATA_FILE), metadata)
  for (const file of CHECKPOINTS) setLine(join(logDir, file), name, offsetsIn(join(ours, file)).get(name))
}

/** The line of `name` in a checkpoint; undefined takes it out. */
export function setLine(path: string, name: string, offset: bigint | undefined): void {
  const offsets = offsetsIn(path)
  if (offset === undefined) offsets.delete(name)
  else offsets.set(name, offset)
  writeFileSync(path, formatOffsetCheckpoint(offsets))
}

function offsetsIn(path: string): Map<string, bigint> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  // A broker that has cleaned nothing leaves an empty file.
  return text === '' ? new Map() : parseOffsetCheckpoint(path, text)
}
