/** A log of this package, as its documentation says to use it. Default settings. */
import { join } from 'node:path'
import { openLog, recordBatches } from '../../../dist/index.js'

/** A read takes one whole batch, however large. */
const ONE_BATCH = { maxBytes: 1 }

export class Ours {
  #log
  #appender
  #durable

  static async open(directory, { backend }) {
    return new Ours(await openLog(join(directory, 'user-0'), { backend }))
  }

  constructor(log) {
    this.#log = log
    this.#appender = log.appender()
    this.#durable = log.appender({ durable: true })
  }

  appendEach(records) {
    for (const record of records) this.#log.append([record])
  }

  /** All of one turn. */
  async sendAll(records) {
    await Promise.all(records.map((record) => this.#appender.send(record)))
  }

  appendTogether(records) {
    this.#log.append(records)
  }

  sendDurably(record) {
    return this.#durable.send(record)
  }

  appendDurably(record) {
    return this.#log.append([record]).durable()
  }

  async readAll() {
    let count = 0
    let bytes = 0
    for await (const batch of this.#log.read().batches()) {
      for (const record of batch.records()) {
        count++
        bytes += record.value.length
      }
    }
    return { count, bytes }
  }

  async readEach() {
    let count = 0
    let bytes = 0
    for await (const record of this.#log.read()) {
      count++
      bytes += record.value.length
    }
    return { count, bytes }
  }

  /** The value's length. */
  readAt(offset) {
    const wanted = BigInt(offset)
    const { batches } = this.#log.fetchSync(wanted, ONE_BATCH)
    for (const batch of recordBatches(batches)) {
      for (const record of batch.records()) if (record.offset === wanted) return record.value.length
    }
    throw new Error(`no record at ${offset}`)
  }

  async close() {
    await this.#appender.close()
    await this.#durable.close()
    await this.#log.close()
  }
}
