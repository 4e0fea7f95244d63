/**
 * Reads of a store that is filled before: all of it in order, by hundreds
 * appended together, or single records at random offsets, appended one by one.
 * All is in the page cache.
 */

import { Random } from '../keys.mjs'
import { Latencies } from '../latencies.mjs'
import { storeOf } from '../stores/open.mjs'
import { makeRecords } from '../stores/records.mjs'

const TOGETHER = 100
const NS_PER_MS = 1e6
const TIMED = 5_000

/** `method` of the store reads all and counts records and bytes of values. */
export async function scans(context, valueBytes, method) {
  const { records, warmUps } = context.options
  const store = await filled(context, valueBytes, (store, group) => store.appendTogether(group))
  for (let n = 0; n < warmUps; n++) await store[method]()
  const round = async () => {
    const start = performance.now()
    const { count, bytes } = await store[method]()
    const seconds = (performance.now() - start) / 1_000
    if (count !== records) throw new Error(`${count} of ${records} records`)
    return { value: count / seconds, operations: count, check: bytes }
  }
  return { round, close: () => store.close() }
}

export async function randomReads(context, valueBytes) {
  const { records, reads, ms } = context.options
  const store = await filled(context, valueBytes, fillOneByOne(context.contender))
  const random = new Random()
  const offsets = Array.from({ length: reads }, () => (random.next() >>> 0) % records)
  const spent = { records: reads, ms }
  await readOffsets(store, offsets, spent, valueBytes)
  const round = async () => {
    const { seconds, count } = await readOffsets(store, offsets, spent, valueBytes)
    const times = await timed(store, offsets)
    return { value: count / seconds, operations: count, ...times }
  }
  return { round, close: () => store.close() }
}

async function filled(context, valueBytes, append) {
  const open = await storeOf(context)
  const store = await open(context.directory)
  const { records } = context.options
  const all = makeRecords(records, valueBytes)
  for (let at = 0; at < records; at += TOGETHER) await append(store, all.slice(at, at + TOGETHER))
  return store
}

/** Only a log keeps what was appended together together. */
function fillOneByOne(contender) {
  const isLog = contender === 'native' || contender === 'portable'
  return (store, group) => (isLog ? store.appendEach(group) : store.appendTogether(group))
}

async function readOffsets(store, offsets, { ms }, valueBytes) {
  const start = performance.now()
  let count = 0
  let spentMs = 0
  while (count < offsets.length && spentMs < ms) {
    for (const end = Math.min(offsets.length, count + TOGETHER); count < end; count++) {
      const read = store.readAt(offsets[count])
      const length = typeof read === 'number' ? read : await read
      if (length !== valueBytes) throw new Error(`a value of ${length} bytes`)
    }
    spentMs = performance.now() - start
  }
  return { seconds: spentMs / 1_000, count }
}

async function timed(store, offsets) {
  const latencies = new Latencies(TIMED)
  for (const offset of offsets.slice(0, TIMED)) {
    const start = performance.now()
    const read = store.readAt(offset)
    if (typeof read !== 'number') await read
    latencies.add((performance.now() - start) * NS_PER_MS)
  }
  return latencies.summary()
}
