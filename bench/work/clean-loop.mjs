/** The service of rows/clean-loop.mjs: at each turn of a timer of 1 ms it makes the appends that are due, one record each. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLogManager } from '../../dist/index.js'
import { Latencies } from './latencies.mjs'
import { LOG_CONFIG, MANAGER_CONFIG, onCopy } from './log-copies.mjs'

const TIMER_MS = 1
const NS_PER_MS = 1e6
/** Room for the times of a round, more than any lasts. */
const MOST_TURNS = 1_000_000
const RECORD = { key: Buffer.alloc(16, 'k'), value: Buffer.alloc(100, 'v') }

export const work = {
  'clean-loop-other': (context) => loop(context, 'other'),
  'clean-loop-same': (context) => loop(context, 'same'),
}

function loop({ contender, directory, data, options }, cleaned) {
  const serving = contender === 'idle' ? 'none' : cleaned
  const round = () =>
    onCopy({ from: data['clean-loop'], to: join(directory, 'copy'), settle: options.settle }, (copy) =>
      measure(copy, serving, options),
    )
  return { round, close() {} }
}

async function measure(directory, cleaned, { appends, warmUpMs, idleMs }) {
  const manager = await openLogManager({ logDirs: [directory], backend: 'native', manager: MANAGER_CONFIG })
  const [dirty] = manager.logs()
  const own = await manager.createLog({ topic: 'own', partition: 0 }, LOG_CONFIG)
  const service = new Service(cleaned === 'same' ? dirty : own, appends)
  await sleep(warmUpMs)
  service.late.summary()
  const start = performance.now()
  if (cleaned === 'none') await sleep(idleMs)
  else if ((await dirty.clean()) === null) throw new Error('nothing was cleaned')
  const ms = performance.now() - start
  service.end()
  await manager.close()
  const { p999, ...late } = service.late.summary({ p999: 0.999 })
  const extra = { p999: p999 / NS_PER_MS, ms }
  return { value: late.p99 / NS_PER_MS, operations: service.appended, ...late, extra }
}

class Service {
  late = new Latencies(MOST_TURNS)
  appended = 0
  #log
  #perSecond
  #begun = performance.now()
  #timer

  constructor(log, perSecond) {
    this.#log = log
    this.#perSecond = perSecond
    this.#arm()
  }

  end() {
    clearTimeout(this.#timer)
  }

  #arm() {
    const armed = performance.now()
    this.#timer = setTimeout(() => this.#turn(armed), TIMER_MS)
  }

  #turn(armed) {
    const now = performance.now()
    this.late.add((now - armed - TIMER_MS) * NS_PER_MS)
    const due = Math.floor(((now - this.#begun) / 1_000) * this.#perSecond)
    for (; this.appended < due; this.appended++) this.#log.append([RECORD])
    this.#arm()
  }
}
