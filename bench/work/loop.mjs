/**
 * Rounds of one call, repeated for about `roundMs` after a warm-up. Calls are
 * timed together, so that the clock costs nothing. `extra.cpuNs` is what a call
 * took of the processor, on all threads: where the machine is shared, it says
 * more. Kafka's side is LoopRow.java.
 */

/** Calls between two looks at the clock. */
const BLOCK = 256

/** `call(n)` counts its calls by `n`. */
export function loop({ warmUpMs, roundMs }, call, close = () => {}) {
  run(call, warmUpMs)
  return { round: () => run(call, roundMs), close }
}

/** The same of a call that gives a promise, one after the other. */
export async function asyncLoop({ warmUpMs, roundMs }, call, close = () => {}) {
  await runAsync(call, warmUpMs)
  return { round: () => runAsync(call, roundMs), close }
}

function run(call, ms) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let operations = 0
  do {
    for (let n = 0; n < BLOCK; n++) call(operations + n)
    operations += BLOCK
  } while (performance.now() - start < ms)
  return sample(start, cpu, operations)
}

async function runAsync(call, ms) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let operations = 0
  do {
    for (let n = 0; n < BLOCK; n++) await call(operations + n)
    operations += BLOCK
  } while (performance.now() - start < ms)
  return sample(start, cpu, operations)
}

function sample(start, cpu, operations) {
  const value = ((performance.now() - start) * 1e6) / operations
  const { user, system } = process.cpuUsage(cpu)
  return { value, operations, extra: { cpuNs: ((user + system) * 1e3) / operations } }
}
