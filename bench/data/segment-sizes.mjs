/** Logs `sized-0` of one sealed segment of batches of 300 B, one record each, and an empty active one. */
import { mkdirSync } from 'node:fs'
import { openLogManager } from '../../dist/index.js'
import { makeRecords } from '../work/stores/records.mjs'
import { LASTING } from './lasting.mjs'

const MIB = [1, 8, 64, 256, 1_024]
/** With the batch's and the record's own fields a batch is of 300 B. */
const VALUE_BYTES = 212
const BATCH_BYTES = 300

export const data = Object.fromEntries(
  MIB.map((mib) => [`segment-${mib}mib`, (path, size) => makeSegment(path, size === 'smoke' ? 1 : mib)]),
)

async function makeSegment(directory, mib) {
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory] })
  const config = { ...LASTING, segmentBytes: 2 ** 31 - 1 }
  const log = await manager.createLog({ topic: 'sized', partition: 0 }, config)
  const records = makeRecords(1_000, VALUE_BYTES).map((record) => [
    { ...record, timestamp: 1_794_024_676_000 },
  ])
  const count = Math.floor((mib * 2 ** 20) / BATCH_BYTES)
  for (let n = 0; n < count; n++) log.append(records[n % records.length])
  log.roll()
  await manager.close()
}
