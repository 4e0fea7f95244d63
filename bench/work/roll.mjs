/**
 * The appends that begin a new segment, each timed alone, as the appender sees
 * them: `log.append` of 16 KB batches to segments of 1 MiB, which roll by size.
 */
import { TIMESTAMP } from '../data/shapes.mjs'
import { onNewLog } from './homes.mjs'
import { Latencies } from './latencies.mjs'

const SEGMENT_BYTES = 2 ** 20

export const work = { roll }

async function roll(context) {
  const value = Buffer.alloc(100, 'v')
  const records = Array.from({ length: context.options.records }, () => ({
    key: null,
    value,
    timestamp: TIMESTAMP,
  }))
  const config = { segmentBytes: SEGMENT_BYTES }
  const round = () => onNewLog(context, config, (log) => measure(context.options, log, records))
  for (let n = 0; n < context.options.warmUps; n++) await round()
  return { round, close: () => {} }
}

/** The event loop gets its turn after each append, as in a service: that work is not the appender's. */
async function measure({ rolls }, log, records) {
  const latencies = new Latencies(rolls)
  for (let left = rolls; left > 0; ) {
    const segments = log.segmentSizes.length
    const start = performance.now()
    log.append(records)
    const ns = (performance.now() - start) * 1e6
    if (log.segmentSizes.length > segments) {
      latencies.add(ns)
      left--
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  const summary = latencies.summary()
  return { value: summary.p50, operations: rolls, ...summary, readCalls: null, writeCalls: null }
}
