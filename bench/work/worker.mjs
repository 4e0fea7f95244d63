/**
 * One contender of one row on Node: `worker.mjs REQUEST`. Sets up and warms
 * up, says `{"ready":true}`, does one round for each line of standard input
 * and prints its sample, and at the end of the input closes and prints its
 * peak of memory. Kafka's side is RowMain.java.
 */
import { createInterface } from 'node:readline'
import { Absent } from './absent.mjs'
import { calls, peakKib } from './process-use.mjs'

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
// Standard output is for answers alone.
console.log = console.error

try {
  const request = JSON.parse(process.argv[2])
  const measured = await begin(request)
  say({ ready: true })
  for await (const _line of createInterface({ input: process.stdin })) say(await round(measured))
  await measured.close()
  say({ peakKib: peakKib() ?? process.resourceUsage().maxRSS })
  process.exit(0)
} catch (error) {
  say(error instanceof Absent ? { absent: error.message } : { fault: String(error?.stack ?? error) })
  process.exitCode = 1
  process.stdin.destroy()
}

async function begin(request) {
  const { work } = await import(`./${request.family}.mjs`)
  const { contender } = request
  const backend = contender === 'native' || contender === 'portable' ? contender : undefined
  return work[request.row]({ ...request, backend, calls })
}

/** With the system calls of one operation, unless the work has counted them itself. */
async function round(measured) {
  const base = calls()
  const before = calls()
  const sample = await measured.round()
  const after = calls()
  if (before === null || 'readCalls' in sample) return sample
  // Reading the counts takes calls too.
  const made = (name) => Math.max(0, after[name] - before[name] - (before[name] - base[name]))
  const perOperation = (name) => made(name) / sample.operations
  return { ...sample, readCalls: perOperation('readCalls'), writeCalls: perOperation('writeCalls') }
}
