/** The service on a store: it appends, and reads each record at its offset once it is there. Nothing goes on beside it. */
import { Latencies } from '../latencies.mjs'
import { storeOf } from '../stores/open.mjs'

const MOST_APPENDS = 2_000_000
const NS_PER_MS = 1e6

export class StoreService {
  #store
  #times = new Latencies(MOST_APPENDS)
  #appended = 0
  #read = 0
  #running = null

  static async open(context, directory) {
    const open = await storeOf(context)
    return new StoreService(await open(directory))
  }

  constructor(store) {
    this.#store = store
  }

  /** A store that answers later has not answered yet. */
  get isBusy() {
    return this.#running !== null
  }

  /** Appends these and reads them. */
  append(records) {
    this.#running = this.#serve(records)
    this.#running.then(
      () => {
        this.#running = null
      },
      () => undefined, // told by close()
    )
  }

  async #serve(records) {
    for (const record of records) {
      const start = performance.now()
      const wait = this.#store.appendEach([record])
      if (wait !== undefined) await wait
      this.#times.add((performance.now() - start) * NS_PER_MS)
    }
    for (let n = 0; n < records.length; n++) {
      const read = this.#store.readAt(this.#appended++)
      if (typeof read !== 'number') await read
    }
    this.#read += records.length
  }

  reset() {
    this.#times.summary()
    this.#read = 0
  }

  async close() {
    const appends = this.#times.summary({ p999: 0.999 })
    const read = this.#read
    await this.#running
    await this.#store.close()
    return { appends, flushing: null, extra: { read } }
  }
}
