/**
 * Rounds of appends, which leave bytes behind: each works on a new log, so
 * that no round pays for another's dirty pages. Kafka's side is AppendRounds.java.
 */
import { onNewLog } from './homes.mjs'
import { Latencies } from './latencies.mjs'

/** Calls on a new log before the clock starts: its first pages and entries are set-up. */
const FIRST_CALLS = 200
/** Of `operations`, the part that is repeated with a clock around each. */
const TIMED_PART = 4

/** Rounds of `operations` calls of what `begin(log)` gives, warmed up by `warmUps` of them. */
export async function appendRounds(context, config, begin) {
  const round = () => onNewLog(context, config, async (log) => measure(context, await begin(log)))
  for (let n = 0; n < context.options.warmUps; n++) await round()
  return { round, close: () => {} }
}

/** Mean of calls that are timed together, then percentiles of some that are timed one by one. */
export function measure({ options, calls }, call) {
  for (let n = 0; n < FIRST_CALLS; n++) call(n)
  const { operations } = options
  const before = calls()
  const start = performance.now()
  for (let n = 0; n < operations; n++) call(n)
  const ms = performance.now() - start
  const after = calls()
  return {
    value: (ms * 1e6) / operations,
    operations,
    ...timedSingly(operations, call),
    ...callsEach(before, after, operations),
  }
}

function timedSingly(operations, call) {
  const count = Math.ceil(operations / TIMED_PART)
  const latencies = new Latencies(count)
  for (let n = 0; n < count; n++) {
    const start = performance.now()
    call(n)
    latencies.add((performance.now() - start) * 1e6)
  }
  return latencies.summary()
}

/** System calls of one operation, between two counts. */
export function callsEach(before, after, operations) {
  if (before === null) return {}
  const each = (name) => (after[name] - before[name]) / operations
  return { readCalls: each('readCalls'), writeCalls: each('writeCalls') }
}
