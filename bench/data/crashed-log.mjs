/** A log as a crash leaves it, for recoveries: nothing says up to where it was flushed, so all of it is scanned. */
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openLogManager } from '../../dist/index.js'
import { makeRecords } from '../work/stores/records.mjs'

const MIB = { full: 256, short: 64, smoke: 1 }
const SEGMENT_BYTES = 32 * 2 ** 20
const RECORDS_A_BATCH = 130
const VALUE_BYTES = 100

export const data = { 'service-crashed': makeCrashedLog }

/** What a clean close leaves and a crash does not. Whoever measures the event loop has none of it removed there. */
export async function forgetClose(directory) {
  for (const name of ['.kafka_cleanshutdown', 'recovery-point-offset-checkpoint']) {
    await rm(join(directory, name), { force: true })
  }
}

async function makeCrashedLog(path, size) {
  mkdirSync(path)
  const manager = await openLogManager({ logDirs: [path] })
  const log = await manager.createLog({ topic: 'crashed', partition: 0 }, { segmentBytes: SEGMENT_BYTES })
  const records = makeRecords(RECORDS_A_BATCH, VALUE_BYTES)
  for (let bytes = 0; bytes < MIB[size] * 2 ** 20; bytes = log.stats().bytesIn) {
    for (let n = 0; n < 50; n++) log.append(records)
  }
  await manager.close()
  await forgetClose(path)
}
