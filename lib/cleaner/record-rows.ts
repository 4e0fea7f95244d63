/**
 * The rows that the records of a few batches are taken apart into, used again
 * and again. Rows of one filling share their bytes. Only a batch with more
 * records than there are rows makes the columns grow, until `restore`.
 */

import type { RecordColumns, RecordKernel, RecordRegion } from '../backend/record-kernel.js'

/** About 40 bytes each. */
const ROWS = 65_536

/** A kernel's columns hold no more. */
export const MAX_ROWS = 2 ** 24

export class RecordRows {
  columns: RecordColumns
  /** Rows in use. */
  count = 0
  readonly #kernel: RecordKernel
  readonly #ownColumns: RecordColumns

  constructor(kernel: RecordKernel) {
    this.#kernel = kernel
    this.#ownColumns = kernel.columns(ROWS)
    this.columns = this.#ownColumns
  }

  hasRoom(count: number): boolean {
    return count <= this.columns.capacity - this.count
  }

  /** Begins anew, with at least `capacity` rows, `MAX_ROWS` at most. */
  clear(capacity = 0): void {
    this.count = 0
    if (capacity <= this.columns.capacity) return
    this.columns = this.#kernel.columns(2 ** Math.ceil(Math.log2(capacity)))
  }

  /** Lets go of columns that have grown. */
  restore(): void {
    this.count = 0
    this.columns = this.#ownColumns
  }

  /** Takes the records of a magic 2 batch into the next rows; false where they are not what the batch says. */
  add(records: RecordRegion): boolean {
    if (this.#kernel.parse(records, this.columns, this.count) >= 0) return false
    this.count += records.count
    return true
  }
}
