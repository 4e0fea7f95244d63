/**
 * Appends as fast as they go, for so many records or so long, into a store
 * that is new in each round. Then a few of them one after the other with a
 * clock, for the times of single operations.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { callsBetween } from '../calls-between.mjs'
import { Latencies } from '../latencies.mjs'
import { storeOf } from '../stores/open.mjs'
import { makeRecords } from '../stores/records.mjs'

const TOGETHER = 100
const NS_PER_MS = 1e6

/** `append(store, records)` appends a hundred; `single` where these are single calls whose times can be told. */
export async function appending(context, valueBytes, { append, single }) {
  const { directory, options, calls } = context
  const open = await storeOf(context)
  const records = makeRecords(1_000, valueBytes)
  const groups = Array.from({ length: records.length / TOGETHER }, (_, n) =>
    records.slice(n * TOGETHER, (n + 1) * TOGETHER),
  )
  const onNew = (action) => inNewStore(directory, open, action)
  await onNew((store) => run(store, append, groups, options.warmUp))
  const round = () =>
    onNew(async (store) => {
      const before = calls()
      const { seconds, count } = await run(store, append, groups, options)
      const used = callsBetween(before, calls(), count)
      const parts = single ? records.map((record) => [record]) : groups
      return { value: count / seconds, operations: count, ...used, ...(await timed(store, append, parts)) }
    })
  return { round, close() {} }
}

async function run(store, append, groups, { records, ms }) {
  const start = performance.now()
  let count = 0
  let spentMs = 0
  while (count < records && spentMs < ms) {
    const wait = append(store, groups[(count / TOGETHER) % groups.length])
    if (wait !== undefined) await wait
    count += TOGETHER
    spentMs = performance.now() - start
  }
  return { seconds: spentMs / 1_000, count }
}

/** Each of `parts` once. */
async function timed(store, append, parts) {
  const latencies = new Latencies(parts.length)
  for (const part of parts) {
    const start = performance.now()
    const wait = append(store, part)
    if (wait !== undefined) await wait
    latencies.add((performance.now() - start) * NS_PER_MS)
  }
  return latencies.summary()
}

/** The directory goes before the disk has been given much of it. */
async function inNewStore(above, open, action) {
  const directory = join(above, 'store')
  mkdirSync(directory)
  const store = await open(directory)
  try {
    return await action(store)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true })
  }
}
