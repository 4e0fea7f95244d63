/**
 * The aborted transactions of each segment, as its `.txnindex` has them, in
 * memory: 34 bytes a transaction on disk, and only aborted ones have an entry.
 * Kept with the segment, so that a read that has begun finds them even if the
 * segment is deleted meanwhile.
 */

import type { Segment } from '../../segment/segment.js'
import { type AbortedTransaction, abortedIn } from '../../segment/transaction-index.js'

const NONE: readonly AbortedTransaction[] = []

export class AbortedTransactions {
  readonly #of = new WeakMap<Segment, AbortedTransaction[]>()

  /** By rising last offset. */
  of(segment: Segment): readonly AbortedTransaction[] {
    return this.#of.get(segment) ?? NONE
  }

  set(segment: Segment, entries: readonly AbortedTransaction[]): void {
    this.#of.set(segment, [...entries])
  }

  /** Gives the entry's number. */
  add(segment: Segment, entry: AbortedTransaction): number {
    const entries = this.#of.get(segment)
    if (entries === undefined) this.#of.set(segment, [entry])
    else entries.push(entry)
    return (entries?.length ?? 1) - 1
  }

  /** Drops those whose marker lies at `offset` or behind; false where there were none. */
  truncate(segment: Segment, offset: bigint): boolean {
    const before = this.of(segment)
    const kept = before.filter(({ lastOffset }) => lastOffset < offset)
    if (kept.length === before.length) return false
    this.#of.set(segment, kept)
    return true
  }

  /** Those with records in `[from, to)`; `segments` begins with the one that holds `from`. See `abortedIn`. */
  within(segments: readonly Segment[], from: bigint, to: bigint): AbortedTransaction[] {
    return abortedIn(this.#lists(segments), from, to)
  }

  *#lists(segments: readonly Segment[]): Iterable<readonly AbortedTransaction[]> {
    for (const segment of segments) yield this.of(segment)
  }
}
