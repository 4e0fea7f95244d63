/**
 * The dirty logs that `bench/clean.mjs` has cleaned: 16-byte keys chosen at
 * random, 100-byte values of which half is noise, batches of about 16 KB. The
 * same numbers in give the same bytes out.
 */
import { copyFileSync, linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadCodec, openLogManager } from '../../dist/index.js'

export const TOPIC = 'bench'
const KEY_BYTES = 16
const VALUE_BYTES = 100
const NOISE_BYTES = 50
const RECORDS_A_BATCH = 130
/** About; the rest of a record is its numbers. */
const RECORD_BYTES = 125
const NOISE_POOL_BYTES = 1 << 20
const TIMESTAMP = 1_794_024_676_000

/** Settings of a log, under this package's names; Kafka's own are in CleanLoad.java. */
export const LOG_CONFIG = { cleanupPolicy: ['compact'], compressionType: 'producer' }
/** No cleaner looks for work by itself. */
export const MANAGER_CONFIG = { cleanerEnable: false }

/** Distinct keys among those of `mib`: 1.7 million in 2 GiB. */
export function keysOf(mib) {
  return Math.ceil((1_700_000 * mib) / 2048)
}

/** Makes the log `bench-0` of `mib` MiB of records, before compression, all but the last segment sealed. */
export async function makeDirtyLog(directory, mib, compression) {
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

/** Key number `n`, at `bytes[at, at + 16)`. */
export function writeKey(bytes, at, n) {
  bytes.writeUInt32BE(n, at)
  bytes.writeUInt32BE(Math.imul(n, 2_654_435_761) >>> 0, at + 4)
  bytes.writeUInt32BE((n ^ 0x5bd1_e995) >>> 0, at + 8)
  bytes.writeUInt32BE(Math.imul(n, 2_246_822_519) >>> 0, at + 12)
}

/** Marsaglia's xorshift of 32 bits. */
export class Random {
  #state = 2_463_534_242

  next() {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x >>> 0
    return this.#state
  }
}

/**
 * A log directory like `from`, to be cleaned. Sealed segments' `.log` files are
 * hard links: nobody writes to them, a cleaning only replaces them. `from` was
 * closed cleanly.
 */
export function copyLogDirectory(from, to) {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyLog(source, target)
    else copyFileSync(source, target)
  }
}

function copyLog(from, to) {
  mkdirSync(to)
  const names = readdirSync(from)
  const active = names
    .filter((name) => name.endsWith('.log'))
    .sort()
    .at(-1)
  for (const name of names) {
    const isSealed = name.endsWith('.log') && name !== active
    const copy = isSealed ? linkSync : copyFileSync
    copy(join(from, name), join(to, name))
  }
}
