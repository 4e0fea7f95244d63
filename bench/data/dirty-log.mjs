/**
 * Dirty logs to be cleaned: 16-byte keys chosen at random (1.7 million
 * distinct ones in 2 GiB), 100-byte values of which half is noise, batches of
 * about 16 KB, all but the last segment sealed, closed cleanly. The same
 * numbers in give the same bytes out.
 */
import { mkdirSync } from 'node:fs'
import { loadCodec, openLogManager } from '../../dist/index.js'
import { Random, writeKey } from '../work/keys.mjs'
import { LOG_CONFIG, MANAGER_CONFIG } from '../work/log-copies.mjs'

const TOPIC = 'bench'
const KEY_BYTES = 16
const VALUE_BYTES = 100
const NOISE_BYTES = 50
const RECORDS_A_BATCH = 130
/** About; the rest of a record is its numbers. */
const RECORD_BYTES = 125
const NOISE_POOL_BYTES = 1 << 20
const MIB = { full: 2_048, short: 128, smoke: 1 }
const WARM_UP_MIB = { full: 64, short: 16, smoke: 1 }
const LOOP_MIB = { full: 1_024, short: 128, smoke: 1 }
const TIMESTAMP = 1_794_024_676_000

const log = (mib, codec) => (path, size) => makeDirtyLog(path, mib[size], codec)

export const data = {
  'clean-none': log(MIB, 'none'),
  'clean-zstd': log(MIB, 'zstd'),
  'clean-warm-none': log(WARM_UP_MIB, 'none'),
  'clean-warm-zstd': log(WARM_UP_MIB, 'zstd'),
  'clean-loop': log(LOOP_MIB, 'none'),
}

function keysOf(mib) {
  return Math.ceil((1_700_000 * mib) / 2048)
}

/** `mib` are of records, before compression. */
async function makeDirtyLog(directory, mib, compression) {
  if (compression !== 'none') await loadCodec(compression)
  mkdirSync(directory)
  const manager = await openLogManager({ logDirs: [directory], manager: MANAGER_CONFIG })
  const log = await manager.createLog({ topic: TOPIC, partition: 0 }, LOG_CONFIG)
  const batches = Math.ceil((mib * 2 ** 20) / (RECORDS_A_BATCH * RECORD_BYTES))
  const source = new Records(keysOf(mib))
  for (let n = 0; n < batches; n++) log.append(source.next(TIMESTAMP + n), { compression })
  log.roll()
  await log.flush()
  await manager.close()
}

/** The same records again and again in the same memory; what they hold is new. */
class Records {
  #distinct
  #random = new Random()
  #noise = Buffer.alloc(NOISE_POOL_BYTES)
  #records = Array.from({ length: RECORDS_A_BATCH }, () => ({
    key: Buffer.alloc(KEY_BYTES),
    value: Buffer.alloc(VALUE_BYTES, 'v'),
    timestamp: 0,
  }))

  constructor(distinct) {
    this.#distinct = distinct
    for (let at = 0; at < NOISE_POOL_BYTES; at += 4) this.#noise.writeUInt32LE(this.#random.next(), at)
  }

  next(timestamp) {
    for (const record of this.#records) {
      writeKey(record.key, 0, this.#random.next() % this.#distinct)
      const from = this.#random.next() % (NOISE_POOL_BYTES - NOISE_BYTES)
      this.#noise.copy(record.value, 0, from, from + NOISE_BYTES)
      record.timestamp = timestamp
    }
    return this.#records
  }
}
