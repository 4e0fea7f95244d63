/** classic-level: the offset in eight bytes as key; not compressed, as random bytes gain nothing by it. */
import { ClassicLevel } from 'classic-level'
import { joined, joinedValue } from './joined.mjs'

const BUFFERS = { keyEncoding: 'buffer', valueEncoding: 'buffer', compression: false }
const READ_AT_ONCE = 1_000

export class Level {
  #database
  #next = 0
  #waiting = []
  #isCommitting = false

  static async open(directory) {
    const database = new ClassicLevel(directory, BUFFERS)
    await database.open()
    return new Level(database)
  }

  constructor(database) {
    this.#database = database
  }

  async appendEach(records) {
    for (const record of records) await this.#put(record)
  }

  async sendAll(records) {
    await Promise.all(records.map((record) => this.#put(record)))
  }

  async appendTogether(records) {
    await this.#batch(records, {})
  }

  /** Grouped by hand: what is sent before the disk is free again is one batch. */
  sendDurably(record) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject })
      if (!this.#isCommitting) this.#commitSoon()
    })
  }

  #commitSoon() {
    this.#isCommitting = true
    setImmediate(async () => {
      const group = this.#waiting
      this.#waiting = []
      const records = group.map(({ record }) => record)
      const done = this.#batch(records, { sync: true })
      await done.then(
        () => {
          for (const { resolve } of group) resolve()
        },
        (error) => {
          for (const { reject } of group) reject(error)
        },
      )
      this.#isCommitting = false
      if (this.#waiting.length > 0) this.#commitSoon()
    })
  }

  #put(record) {
    return this.#database.put(keyOf(this.#next++), joined(record))
  }

  #batch(records, options) {
    const puts = records.map((record) => ({ type: 'put', key: keyOf(this.#next++), value: joined(record) }))
    return this.#database.batch(puts, options)
  }

  async readAll() {
    let count = 0
    let bytes = 0
    const values = this.#database.values()
    for (;;) {
      const some = await values.nextv(READ_AT_ONCE)
      if (some.length === 0) break
      count += some.length
      for (const value of some) bytes += joinedValue(value).length
    }
    await values.close()
    return { count, bytes }
  }

  readAt(offset) {
    return joinedValue(this.#database.getSync(keyOf(offset))).length
  }

  close() {
    return this.#database.close()
  }
}

function keyOf(offset) {
  const key = Buffer.allocUnsafe(8)
  key.writeUInt32BE(0, 0)
  key.writeUInt32BE(offset, 4)
  return key
}
