/**
 * Many callers at once: 64 senders of an appender, each of which waits for its
 * record before it sends the next, and 64 callers that each wait until their
 * append is on disk.
 */
import { TIMESTAMP } from '../data/shapes.mjs'
import { onNewLog } from './homes.mjs'
import { Latencies } from './latencies.mjs'
import { callsEach } from './rounds.mjs'

const RECORD = { key: null, value: Buffer.alloc(100, 'v'), timestamp: TIMESTAMP }
/** Of `operations`, what runs before the clock starts. */
const FIRST_PART = 8

export const work = {
  'appender-64': (context) => sending(context, false),
  'appender-64-durable': (context) => sending(context, true),
  'durable-64': (context) => rounds(context, (log) => () => log.append([RECORD]).durable()),
}

function sending(context, durable) {
  return rounds(context, (log) => {
    const appender = log.appender({ durable })
    return () => appender.send(RECORD)
  })
}

/** Rounds of `operations` calls on a new log, or as many as end in `roundMs`; `callers` are under way at any time. */
async function rounds(context, begin) {
  const round = () => onNewLog(context, {}, (log) => measure(context, begin(log)))
  for (let n = 0; n < context.options.warmUps; n++) await round()
  return { round, close: () => {} }
}

async function measure({ options, calls }, call) {
  const latencies = new Latencies(options.operations)
  await runAll(options, FIRST_PART, call, undefined)
  const before = calls()
  const start = performance.now()
  const operations = await runAll(options, 1, call, latencies)
  const ms = performance.now() - start
  const each = callsEach(before, calls(), operations)
  return { value: (operations * 1000) / ms, operations, ...latencies.summary(), ...each }
}

/** One `part`th of a round; gives how many calls that were. */
async function runAll({ callers, operations, roundMs }, part, call, latencies) {
  const most = Math.ceil(operations / part)
  const end = performance.now() + roundMs / part
  let begun = 0
  const caller = async () => {
    for (let now = performance.now(); now < end && begun < most; ) {
      begun++
      await call()
      const start = now
      now = performance.now()
      latencies?.add((now - start) * 1e6)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return begun
}
