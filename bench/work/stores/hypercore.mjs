/** hypercore: a block a record, signed and hashed as it does; it has no call that waits for the disk. */
import { createRequire } from 'node:module'
import { joined, joinedValue } from './joined.mjs'

export class Hyper {
  #core

  static async open(directory) {
    const Hypercore = createRequire(import.meta.url)('hypercore')
    const core = new Hypercore(directory)
    await core.ready()
    return new Hyper(core)
  }

  constructor(core) {
    this.#core = core
  }

  async appendEach(records) {
    for (const record of records) await this.#core.append(joined(record))
  }

  async sendAll(records) {
    await Promise.all(records.map((record) => this.#core.append(joined(record))))
  }

  async appendTogether(records) {
    await this.#core.append(records.map(joined))
  }

  async readAll() {
    let count = 0
    let bytes = 0
    for await (const block of this.#core.createReadStream()) {
      count++
      bytes += joinedValue(block).length
    }
    return { count, bytes }
  }

  async readAt(offset) {
    return joinedValue(await this.#core.get(offset)).length
  }

  close() {
    return this.#core.close()
  }
}
