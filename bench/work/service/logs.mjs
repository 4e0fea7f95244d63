/** The service on a log of this package, with all that goes on beside it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '../../../dist/index.js'
import { Latencies } from '../latencies.mjs'
import { copyLogDirectory } from '../log-copies.mjs'
import { cleanings, flushes, recoveries } from './background.mjs'

const LOG_CONFIG = { segmentBytes: 4 * 2 ** 20 }
const MOST_APPENDS = 2_000_000
const NS_PER_MS = 1e6

export class LogService {
  #log
  #beside
  #reading
  #all = new Latencies(MOST_APPENDS)
  #flushed = new Latencies(MOST_APPENDS)
  #isFlushing = false
  #read = 0
  #reader = new AbortController()
  isBusy = false

  static async open({ backend, data, options }, directory) {
    const crashed = join(directory, 'crashed')
    copyLogDirectory(data['service-crashed'], crashed)
    const dirty = Array.from({ length: options.cleanings }, (_, n) => join(directory, `dirty-${n}`))
    for (const one of dirty) copyLogDirectory(data['clean-loop'], one)
    const own = join(directory, 'own')
    mkdirSync(own)
    const log = await openLog(join(own, 'service-0'), { backend, config: LOG_CONFIG })
    return new LogService(log, () => [recoveries(crashed, backend), cleanings(dirty, backend)])
  }

  constructor(log, startOthers) {
    this.#log = log
    this.#reading = this.#follow()
    const flushing = flushes(log, (isFlushing) => {
      this.#isFlushing = isFlushing
    })
    this.#beside = [flushing, ...startOthers()]
  }

  /** Appends these, and notes how long each took. */
  append(records) {
    for (const record of records) {
      const start = performance.now()
      this.#log.append([record])
      const ns = (performance.now() - start) * NS_PER_MS
      this.#all.add(ns)
      if (this.#isFlushing) this.#flushed.add(ns)
    }
  }

  reset() {
    for (const latencies of [this.#all, this.#flushed]) latencies.summary()
    this.#read = 0
  }

  /** Ends all of it; what was seen since the reset. */
  async close() {
    const read = this.#read
    const [appends, flushing] = [this.#all, this.#flushed].map((times) => times.summary({ p999: 0.999 }))
    const counts = await Promise.all(this.#beside.map(async (one) => (await one).stop()))
    const [, recovered, cleaned] = counts
    const { rolls } = this.#log.stats()
    this.#reader.abort()
    await this.#reading
    await this.#log.close()
    return { appends, flushing, extra: { read, rolled: rolls.size, flushes: counts[0], recovered, cleaned } }
  }

  /** Until it is told to end. */
  async #follow() {
    const { signal } = this.#reader
    try {
      for await (const _record of this.#log.read({ from: 'latest', follow: true, signal })) this.#read++
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
