/** Callers that each append one record and wait until it is on disk, again and again; a group is what the store makes of them. */
import { Latencies } from '../latencies.mjs'
import { storeOf } from '../stores/open.mjs'
import { makeRecords } from '../stores/records.mjs'

const MOST_PER_SECOND = 500_000
const NS_PER_MS = 1e6

/** `method` of the store takes a record and resolves when it is durable. */
export async function durable(context, valueBytes, method) {
  const { directory, options } = context
  const open = await storeOf(context, { durable: true })
  const store = await open(directory)
  const records = makeRecords(1_000, valueBytes)
  const latencies = new Latencies((MOST_PER_SECOND * Math.max(options.ms, 1_000)) / 1_000)
  const measure = async (ms) => {
    const start = performance.now()
    const callers = Array.from({ length: options.callers }, (_, n) =>
      callUntil(start + ms, (at) => store[method](records[(n + at) % records.length]), latencies),
    )
    const counts = await Promise.all(callers)
    const seconds = (performance.now() - start) / 1_000
    return { seconds, count: counts.reduce((sum, count) => sum + count, 0) }
  }
  await measure(options.warmUpMs)
  latencies.summary()
  const round = async () => {
    const { seconds, count } = await measure(options.ms)
    return { value: count / seconds, operations: count, ...latencies.summary() }
  }
  return { round, close: () => store.close() }
}

async function callUntil(endMs, call, latencies) {
  let count = 0
  for (let now = performance.now(); now < endMs; count++) {
    await call(count)
    const after = performance.now()
    latencies.add((after - now) * NS_PER_MS)
    now = after
  }
  return count
}
