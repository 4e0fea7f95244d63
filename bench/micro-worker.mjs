/**
 * One round of one contender: `micro-worker.mjs native|portable|fs DIRECTORY`.
 * Prints ns a call as JSON. Set-up and warm-up lie outside of what is timed.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '../dist/index.js'

const [contender, directory] = process.argv.slice(2)
const CALLS = 40_000
const RECORD = { key: null, value: Buffer.alloc(100, 'v'), timestamp: 1_794_024_676_000 }
const SIZES = { 'append 1 x 100 B': 1, 'append 100 x 100 B': 100 }

const results = contender === 'fs' ? bareWrites() : await engine()
console.log(JSON.stringify(results))

function timed(calls, run) {
  for (let n = 0; n < calls / 2; n++) run(n)
  const start = process.hrtime.bigint()
  for (let n = 0; n < calls; n++) run(n)
  return Number(process.hrtime.bigint() - start) / calls
}

/** The same number of bytes, appended by `fs.writeSync` alone. */
function bareWrites() {
  const file = openSync(join(directory, 'bare'), 'w')
  const sizes = Object.entries(SIZES).map(([name, count]) => [name, Buffer.alloc(61 + count * 108)])
  const results = Object.fromEntries(
    sizes.map(([name, bytes]) => [name, timed(CALLS, () => writeSync(file, bytes))]),
  )
  closeSync(file)
  return results
}

async function engine() {
  const log = await openLog(join(directory, 'bench-0'), { backend: contender })
  const results = {}
  for (const [name, count] of Object.entries(SIZES)) {
    const records = Array.from({ length: count }, () => RECORD)
    results[name] = timed(CALLS, () => log.append(records))
  }
  const end = Number(log.offsets.logEndOffset)
  results['locate, at random'] = timed(CALLS, (n) => log.locate((n * 7_919) % end))
  results['fetchSync 64 KB, at random'] = timed(CALLS / 4, (n) =>
    log.fetchSync((n * 7_919) % end, { maxBytes: 65_536 }),
  )
  await log.close()
  return results
}
