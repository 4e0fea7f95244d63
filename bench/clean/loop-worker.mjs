/**
 * A service that appends while a log is cleaned in the same process, or none:
 * `loop-worker.mjs native|portable none|other|same APPENDS-A-SECOND MS DIRECTORY`.
 * It appends to a log of its own, or to the one that is cleaned. With `none` it
 * goes on for MS instead. Prints how late a timer of 1 ms was, as JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openLogManager } from '../../dist/index.js'
import { LOG_CONFIG, MANAGER_CONFIG } from './load.mjs'

const TIMER_MS = 1
/** What a service does first does not count. */
const WARM_UP_MS = 1_000
const RECORD = { key: Buffer.alloc(16, 'k'), value: Buffer.alloc(100, 'v') }

const [backend, cleaned, perSecond, ms, directory] = process.argv.slice(2)
const manager = await openLogManager({ logDirs: [directory], backend, manager: MANAGER_CONFIG })
const [dirty] = manager.logs()
const own = await manager.createLog({ topic: 'own', partition: 0 }, LOG_CONFIG)
const service = serve(cleaned === 'same' ? dirty : own)
await sleep(WARM_UP_MS)
service.lateMs.length = 0
const start = performance.now()
if (cleaned === 'none') await sleep(Number(ms))
else if ((await dirty.clean()) === null) throw new Error('nothing was cleaned')
const cleanMs = performance.now() - start
service.end()
await manager.close()
console.log(JSON.stringify({ ms: cleanMs, ...percentiles(service.lateMs), appended: service.appended }))

/** At each turn of the timer it makes the appends that are due, one record each. */
function serve(log) {
  const self = { lateMs: [], appended: 0, end: () => clearTimeout(timer) }
  const begun = performance.now()
  let armed = begun
  let timer
  const turn = () => {
    const now = performance.now()
    self.lateMs.push(now - armed - TIMER_MS)
    const due = Math.floor(((now - begun) / 1_000) * Number(perSecond))
    for (; self.appended < due; self.appended++) log.append([RECORD])
    armed = performance.now()
    timer = setTimeout(turn, TIMER_MS)
  }
  timer = setTimeout(turn, TIMER_MS)
  return self
}

function percentiles(lateMs) {
  const sorted = lateMs.toSorted((a, b) => a - b)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), most: sorted.at(-1) }
}
