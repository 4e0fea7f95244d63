/**
 * Which batches of a committed fetch belong to aborted transactions, found as
 * Kafka's consumer finds them: a transaction's producer is aborted from its
 * first offset on, until its marker.
 */

import type { Batch } from '../format/batch.js'
import { markerOf } from './producers/producer-header.js'

export interface AbortedRange {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

export class AbortedFilter {
  readonly #waiting: AbortedRange[]
  readonly #aborted = new Set<bigint>()

  /** `transactions` are those of the fetch whose batches follow. */
  constructor(transactions: readonly AbortedRange[]) {
    this.#waiting = [...transactions].sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1))
  }

  /** Whether to skip the batch; to be asked of each in order, a control batch opened before. */
  skips(batch: Batch): boolean {
    while (this.#waiting[0] !== undefined && this.#waiting[0].firstOffset <= batch.lastOffset) {
      this.#aborted.add((this.#waiting.shift() as AbortedRange).producerId)
    }
    if (!batch.isTransactional || !this.#aborted.has(batch.producerId)) return false
    if (!batch.isControl) return true
    if (markerOf(batch)?.type === 'ABORT') this.#aborted.delete(batch.producerId)
    return false
  }
}
