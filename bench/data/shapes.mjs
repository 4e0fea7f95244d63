/**
 * What the batches of the benchmarks hold. One record's timestamp is the
 * base time and its offset, so that whoever looks a time up knows the answer.
 */

/** Of the record at offset 0. Long past: no broker takes it for one of the future. */
export const TIMESTAMP = 1_700_000_000_000

/** `300`: two records of 100 B, 305 B a batch. `4k`: 37 of them, 4,094 B. */
export const SHAPES = {
  300: { records: 2, keyBytes: 13, valueBytes: 100, batchBytes: 305 },
  '4k': { records: 37, keyBytes: null, valueBytes: 100, batchBytes: 4094 },
}

/** Gives the records of one batch after another, in the same memory. */
export class BatchSource {
  #records
  #offset = 0

  constructor({ records, keyBytes, valueBytes }) {
    this.#records = Array.from({ length: records }, () => ({
      key: keyBytes === null ? null : Buffer.alloc(keyBytes, 'k'),
      value: Buffer.alloc(valueBytes, 'v'),
      timestamp: TIMESTAMP,
    }))
  }

  next() {
    for (const record of this.#records) record.timestamp = TIMESTAMP + this.#offset++
    return this.#records
  }
}
