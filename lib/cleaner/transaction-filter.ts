/**
 * Follows the transactions of a log while its batches are read in order: which
 * batches belong to an aborted transaction, and which markers nothing refers to
 * any more. Kafka's CleanedTransactionMetadata.
 *
 * One filter lives as long as the pass it belongs to: a transaction can begin
 * in one group of segments and end in the next. What becomes of a batch is
 * decided elsewhere.
 */

import type { ControlType } from '../format/control-record.js'
import type { AbortedTransaction } from '../segment/transaction-index.js'

interface OngoingAbort {
  readonly entry: AbortedTransaction
  /** A data batch of it was seen, perhaps one that is only kept empty. */
  hasBatches: boolean
}

export class TransactionFilter {
  /** Producers of which a transaction that is not aborted has been seen, without its end. */
  readonly #committing = new Set<bigint>()
  readonly #aborting = new Map<bigint, OngoingAbort>()
  /** Told of but not reached yet, by falling first offset: the next one is the last. */
  #ahead: AbortedTransaction[] = []
  #kept: AbortedTransaction[] = []

  /** Transactions with records in what is read next. One may be told of again with each segment that it touches. */
  add(entries: readonly AbortedTransaction[]): void {
    if (entries.length === 0) return
    this.#ahead = [...this.#ahead, ...entries].sort(byFallingFirstOffset)
  }

  /** A transactional data batch; true where its transaction was aborted. Other data batches change nothing. */
  onBatch(producerId: bigint, lastOffset: bigint): boolean {
    this.#reach(lastOffset)
    const aborting = this.#aborting.get(producerId)
    if (aborting === undefined) {
      this.#committing.add(producerId)
      return false
    }
    aborting.hasBatches = true
    return true
  }

  /**
   * A control batch, whose record says `type` (undefined: it has none left).
   * True where nothing needs it any more: no batch of its transaction was seen.
   */
  onControlBatch(producerId: bigint, lastOffset: bigint, type: ControlType | undefined): boolean {
    this.#reach(lastOffset)
    if (type === undefined) return true
    if (type === 'ABORT') return this.#endAbort(producerId)
    if (type === 'COMMIT') return !this.#committing.delete(producerId)
    return false
  }

  /** Entries of the aborted transactions whose marker had to stay, since the last call. */
  takeKept(): AbortedTransaction[] {
    const kept = this.#kept
    this.#kept = []
    return kept
  }

  #endAbort(producerId: bigint): boolean {
    const aborting = this.#aborting.get(producerId)
    this.#aborting.delete(producerId)
    if (aborting === undefined || !aborting.hasBatches) return true
    this.#kept.push(aborting.entry)
    return false
  }

  #reach(offset: bigint): void {
    for (let next = this.#ahead.at(-1); next !== undefined; next = this.#ahead.at(-1)) {
      if (next.firstOffset > offset) return
      this.#ahead.pop()
      if (!this.#aborting.has(next.producerId))
        this.#aborting.set(next.producerId, { entry: next, hasBatches: false })
    }
  }
}

function byFallingFirstOffset(one: AbortedTransaction, other: AbortedTransaction): number {
  if (one.firstOffset === other.firstOffset) return 0
  return one.firstOffset < other.firstOffset ? 1 : -1
}
