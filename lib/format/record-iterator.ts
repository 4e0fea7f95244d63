/**
 * The records of a batch by iteration. A class and no generator: engines take
 * it apart, so that a record that is looked at and dropped costs little.
 */

import type { LogRecord, RecordCursor } from './record.js'

export class RecordIterator implements IterableIterator<LogRecord, undefined> {
  readonly #cursor: RecordCursor

  constructor(cursor: RecordCursor) {
    this.#cursor = cursor
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<LogRecord, undefined> {
    if (this.#cursor.next()) return { value: this.#cursor.record(), done: false }
    return { value: undefined, done: true }
  }
}

/** A cursor over records that are objects already. */
export class ListCursor implements RecordCursor {
  readonly #records: readonly LogRecord[]
  #index = -1

  constructor(records: readonly LogRecord[]) {
    this.#records = records
  }

  get offset() {
    return this.record().offset
  }

  get timestamp() {
    return this.record().timestamp
  }

  get timestampType() {
    return this.record().timestampType
  }

  get key() {
    return this.record().key
  }

  get value() {
    return this.record().value
  }

  get headers() {
    return this.record().headers
  }

  get keySize() {
    return this.key?.length ?? -1
  }

  get valueSize() {
    return this.value?.length ?? -1
  }

  next(): boolean {
    return ++this.#index < this.#records.length
  }

  record(): LogRecord {
    return this.#records[this.#index] as LogRecord
  }
}
