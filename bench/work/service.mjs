/** The work of rows/service.mjs: one scenario, of which each row tells another figure. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LogService } from './service/logs.mjs'
import { StoreService } from './service/store.mjs'
import { Ticker } from './service/ticker.mjs'
import { makeRecords } from './stores/records.mjs'

const NS_PER_MS = 1e6
const NS_PER_US = 1e3
const VALUE_BYTES = 100
/** Who cannot keep up gets no more than this in one turn. */
const MOST_AT_ONCE = 200

export const work = {
  'service-late': (context) => rounds(context, ({ late }) => inUnits(late, 'p99', NS_PER_MS)),
  'service-append': (context) => rounds(context, ({ appends }) => inUnits(appends, 'p999', NS_PER_US)),
  'service-append-flushing': (context) =>
    rounds(context, ({ flushing }) => inUnits(flushing, 'p999', NS_PER_US)),
}

/** The times' `name` as the value; 99.9 % of them are at most `extra.p999`, in the same unit. */
function inUnits({ p999, ...times }, name, ns) {
  return { ...times, value: { ...times, p999 }[name] / ns, extra: { p999: p999 / ns } }
}

function rounds(context, choose) {
  const directory = join(context.directory, 'round')
  const round = async () => {
    mkdirSync(directory)
    try {
      const { extra, operations, ...times } = await scenario(context, directory)
      const chosen = choose(times)
      return { ...chosen, operations, extra: { ...chosen.extra, ...extra } }
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
  return { round, close() {} }
}

async function scenario(context, directory) {
  const { options, contender } = context
  if (contender === 'idle') return idle(options)
  const service = await openService(context, directory)
  if (options.settle && process.platform !== 'win32') execFileSync('sync')
  const caller = new Caller(service, options.perSecond)
  const ticker = new Ticker()
  await sleep(options.warmUpMs)
  for (const one of [service, caller, ticker]) one.reset()
  await sleep(options.ms)
  const late = ticker.end()
  caller.end()
  const { count } = caller
  return { late, operations: count, ...(await service.close()) }
}

function openService(context, directory) {
  return context.backend === undefined
    ? StoreService.open(context, directory)
    : LogService.open(context, directory)
}

async function idle({ ms }) {
  const ticker = new Ticker()
  await sleep(ms)
  return { late: ticker.end(), operations: 1, extra: {} }
}

/** Makes the appends that are due, at each turn of a timer of its own. */
class Caller {
  count = 0
  #ticker
  #start = performance.now()

  constructor(service, perSecond) {
    const records = makeRecords(MOST_AT_ONCE, VALUE_BYTES)
    this.#ticker = new Ticker(() => {
      if (service.isBusy) return
      const due = Math.floor(((performance.now() - this.#start) / 1_000) * perSecond) - this.count
      const some = records.slice(0, Math.max(0, due))
      this.count += some.length
      service.append(some)
    })
  }

  reset() {
    this.count = 0
    this.#start = performance.now()
  }

  end() {
    this.#ticker.end()
  }
}
