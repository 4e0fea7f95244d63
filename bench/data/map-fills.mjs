/**
 * Compacted logs whose records all have keys of their own, by how many: parts
 * and multiples of what a cleaner's map holds. Nothing of them is clean yet.
 */
import { mkdirSync } from 'node:fs'
import { openLogManager } from '../../dist/index.js'
import { writeKey } from '../work/keys.mjs'
import { MANAGER_CONFIG } from '../work/log-copies.mjs'

export const FILLS = [0.25, 0.5, 1, 2, 4]
/** What the cleaners of these logs are given for their map; the least is a little more than 1 MiB. */
export const MAP_BYTES = { full: 16 * 2 ** 20, short: 4 * 2 ** 20, smoke: 2 ** 20 + 24 }
const SLOT_BYTES = 24
const LOAD = 0.9
/** A map is full a little before its last slot. */
const NEARLY = 0.98
const RECORDS_A_BATCH = 130
const LOG_CONFIG = { cleanupPolicy: ['compact'], segmentBytes: 4 * 2 ** 20 }

export const data = Object.fromEntries(
  FILLS.map((fill) => [`map-fill-${fill}`, (path, size) => makeLog(path, keysOf(fill, size))]),
)

function keysOf(fill, size) {
  const held = (MAP_BYTES[size] / SLOT_BYTES) * LOAD * NEARLY
  return size === 'smoke' ? 1_000 : Math.floor(held * fill)
}

async function makeLog(directory, keys) {
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory], manager: MANAGER_CONFIG })
  const log = await manager.createLog({ topic: 'fill', partition: 0 }, LOG_CONFIG)
  for (let key = 0; key < keys; key += RECORDS_A_BATCH) {
    log.append(batch(key, Math.min(RECORDS_A_BATCH, keys - key)))
  }
  log.roll()
  await manager.close()
}

function batch(from, count) {
  return Array.from({ length: count }, (_, n) => {
    const key = Buffer.allocUnsafe(16)
    writeKey(key, 0, from + n)
    return { key, value: Buffer.alloc(100, 'v'), timestamp: 1_794_024_676_000 }
  })
}
