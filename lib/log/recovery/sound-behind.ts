/**
 * What lies behind damage: whether sound batches follow, and up to which
 * offset. It decides whether cutting loses anything, and tells whoever is
 * asked to allow it what is at stake.
 */

import { join } from 'node:path'
import type { Backend, Lane, LogFile } from '../../backend/contract.js'
import { INT32_MAX } from '../../base/int64.js'
import { LENGTH_AT, LOG_OVERHEAD, MAGIC_AT, MIN_LENGTH_V2, RECORDS_AT } from '../../format/layout.js'
import type { StoredSegment } from '../directory-plan.js'
import { BATCHES_PER_SCAN } from './scan-segment.js'

const READ_BYTES = 1 << 20

export interface SoundBehind {
  /** The first sound batch behind the damage; null where there is none. */
  readonly firstOffset: bigint | null
  /** Behind the last that was found; null with `firstOffset`. */
  readonly nextOffset: bigint | null
  /** From the damage to the end of the log. */
  readonly bytes: number
}

export interface Damage {
  readonly log: LogFile
  readonly position: number
  /** Behind the last sound batch before it. */
  readonly offset: bigint
  readonly later: readonly StoredSegment[]
}

export interface Reader {
  readonly backend: Backend
  readonly directory: string
  readonly lane: Lane
}

export async function soundBehind(reader: Reader, damage: Damage): Promise<SoundBehind> {
  const { log, position, later } = damage
  const inFile = await firstSound(reader.lane, log, position, damage.offset)
  let firstOffset: bigint | null = inFile?.offset ?? null
  let nextOffset = inFile === null ? null : await endFrom(reader.lane, log, inFile.position)
  for (const segment of later) {
    const end = await endOf(reader, segment)
    if (end === null) continue
    firstOffset ??= segment.baseOffset
    nextOffset = end
  }
  const laterBytes = later.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  return { firstOffset, nextOffset, bytes: log.sizeInBytes - position + laterBytes }
}

/** Where the next sound batch of magic 2 begins, whatever lies before it; null for none. */
async function firstSound(lane: Lane, log: LogFile, from: number, leastOffset: bigint) {
  for (let at = from; at + RECORDS_AT <= log.sizeInBytes; at += READ_BYTES - RECORDS_AT) {
    const bytes = await lane.read(log, at, READ_BYTES)
    const within = { position: at, sizeInBytes: log.sizeInBytes, leastOffset, baseOffset: log.baseOffset }
    for (const index of candidates(bytes, within)) {
      const scan = await lane.scan(log, scanFrom(at + index, 1))
      if (scan.batches.count > 0)
        return { position: at + index, offset: scan.batches.baseOffsets[0] as bigint }
    }
    if (bytes.length < READ_BYTES) break
  }
  return null
}

interface Within {
  readonly position: number
  readonly sizeInBytes: number
  readonly leastOffset: bigint
  readonly baseOffset: bigint
}

/** Indexes at which a header could begin. */
function* candidates(bytes: Buffer, { position, sizeInBytes, leastOffset, baseOffset }: Within) {
  const end = bytes.length - RECORDS_AT
  for (
    let magicAt = bytes.indexOf(2, MAGIC_AT);
    magicAt >= 0 && magicAt - MAGIC_AT <= end;
    magicAt = bytes.indexOf(2, magicAt + 1)
  ) {
    const index = magicAt - MAGIC_AT
    const length = bytes.readInt32BE(index + LENGTH_AT)
    if (length < MIN_LENGTH_V2 || position + index + LOG_OVERHEAD + length > sizeInBytes) continue
    const offset = bytes.readBigInt64BE(index)
    if (offset >= leastOffset && offset - baseOffset <= BigInt(INT32_MAX)) yield index
  }
}

/** The offset behind the last batch that can be followed from `position`. */
async function endFrom(lane: Lane, log: LogFile, position: number): Promise<bigint | null> {
  let end: bigint | null = null
  for (let at = position; ; ) {
    const { batches, endPosition, stop } = await lane.scan(log, scanFrom(at, BATCHES_PER_SCAN))
    if (batches.count > 0) end = (batches.lastOffsets[batches.count - 1] as bigint) + 1n
    if (stop !== 'limit') return end
    at = endPosition
  }
}

async function endOf({ backend, directory, lane }: Reader, segment: StoredSegment): Promise<bigint | null> {
  const path = join(directory, segment.storedAs)
  const log = backend.openLogFile(path, { mode: 'read', baseOffset: segment.baseOffset })
  try {
    return await endFrom(lane, log, 0)
  } finally {
    await log.close()
  }
}

function scanFrom(fromPosition: number, maxBatches: number) {
  return { fromPosition, endPosition: Number.MAX_SAFE_INTEGER, maxBatches, checkCrc: true }
}
