/** better-sqlite3: a table with the offset as its row id, in WAL mode. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

export class Sqlite {
  #database
  #insert
  #insertAll
  #get
  #scan
  #next = 0
  #waiting = []

  static open(directory, { contender }) {
    const Database = createRequire(import.meta.url)('better-sqlite3')
    const database = new Database(join(directory, 'log.db'))
    database.pragma('journal_mode = WAL')
    database.pragma(`synchronous = ${contender.endsWith('full') ? 'FULL' : 'NORMAL'}`)
    database.exec('CREATE TABLE log (offset INTEGER PRIMARY KEY, key BLOB, value BLOB NOT NULL)')
    return new Sqlite(database)
  }

  constructor(database) {
    this.#database = database
    this.#insert = database.prepare('INSERT INTO log VALUES (?, ?, ?)')
    this.#get = database.prepare('SELECT key, value FROM log WHERE offset = ?')
    this.#scan = database.prepare('SELECT key, value FROM log ORDER BY offset')
    this.#insertAll = database.transaction((records) => this.appendEach(records))
  }

  appendEach(records) {
    for (const { key, value } of records) this.#insert.run(this.#next++, key, value)
  }

  sendAll(records) {
    this.appendEach(records)
  }

  appendTogether(records) {
    this.#insertAll(records)
  }

  /** Grouped by hand: what is sent in one turn is one transaction. */
  sendDurably(record) {
    return new Promise((resolve) => {
      this.#waiting.push({ record, resolve })
      if (this.#waiting.length === 1) setImmediate(() => this.#commit())
    })
  }

  #commit() {
    const group = this.#waiting
    this.#waiting = []
    this.#insertAll(group.map(({ record }) => record))
    for (const { resolve } of group) resolve()
  }

  readAll() {
    let count = 0
    let bytes = 0
    for (const { value } of this.#scan.iterate()) {
      count++
      bytes += value.length
    }
    return { count, bytes }
  }

  readAt(offset) {
    return this.#get.get(offset).value.length
  }

  close() {
    this.#database.close()
  }
}
