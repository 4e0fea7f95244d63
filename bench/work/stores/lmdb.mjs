/**
 * lmdb: the offset as key, the record's key and value as one value. It syncs
 * to the disk only where the row asks for durable appends.
 */
import { open } from 'lmdb'
import { joined, joinedValue } from './joined.mjs'

export class Lmdb {
  #database
  #next = 0

  static open(directory, { durable }) {
    const options = { path: directory, encoding: 'binary', keyEncoding: 'uint32', noSync: !durable }
    return new Lmdb(open(options))
  }

  constructor(database) {
    this.#database = database
  }

  appendEach(records) {
    for (const record of records) this.#database.putSync(this.#next++, joined(record))
  }

  async sendAll(records) {
    await Promise.all(records.map((record) => this.#put(record)))
  }

  appendTogether(records) {
    this.#database.transactionSync(() => {
      for (const record of records) this.#put(record)
    })
  }

  async sendDurably(record) {
    await this.#put(record)
    await this.#database.flushed
  }

  #put(record) {
    return this.#database.put(this.#next++, joined(record))
  }

  readAll() {
    let count = 0
    let bytes = 0
    for (const { value } of this.#database.getRange()) {
      count++
      bytes += joinedValue(value).length
    }
    return { count, bytes }
  }

  readAt(offset) {
    return joinedValue(this.#database.getBinary(offset)).length
  }

  close() {
    return this.#database.close()
  }
}
