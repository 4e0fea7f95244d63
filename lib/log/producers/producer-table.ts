/**
 * All that a log knows of its producers, up to `mapEndOffset`: a state each,
 * open transactions, and ended ones that the high watermark has not passed.
 * Follows Kafka's ProducerStateManager, less its files, which are others' work.
 *
 * Changes are prepared as a plan that changes nothing, and carried out once the
 * batches are in the log.
 */

import type { ProducerBatch, ProducerEntry } from '../../format/producer-snapshot.js'
import { maxOffset, minOffset } from '../log-state.js'
import { grownCapacity, inGatheredOrder, inHashOrder } from './hash-order.js'
import {
  type AppendOrigin,
  type CompletedTransaction,
  duplicateOf,
  nextProducerState,
} from './producer-checks.js'
import type { ProducerHeader } from './producer-header.js'
import { type ProducerState, unknownProducer } from './producer-state.js'

/** What some batches make of the table. */
export interface ProducerPlan {
  readonly states: ReadonlyMap<bigint, ProducerState>
  /** First offset and producer of each transaction that begins. */
  readonly began: readonly (readonly [firstOffset: bigint, producerId: bigint])[]
  readonly completed: readonly CompletedTransaction[]
}

export interface PlanOptions {
  /** Of a marker: from 2 on it has to raise the producer's epoch. */
  readonly transactionVersion?: number | undefined
  readonly planned?: ProducerPlan | undefined
}

export class ProducerTable {
  /** Offset behind the last batch that the table knows. */
  mapEndOffset = 0n
  readonly #states = new Map<bigint, ProducerState>()
  #capacity = 0
  /** Producer by first offset, by rising offset. */
  readonly #open = new Map<bigint, bigint>()
  /** Marker's offset by first offset, of transactions that ended at or above the high watermark. */
  readonly #undecided = new Map<bigint, bigint>()

  get size(): number {
    return this.#states.size
  }

  get isEmpty(): boolean {
    return this.#states.size === 0 && this.#undecided.size === 0
  }

  state(producerId: bigint): ProducerState | undefined {
    return this.#states.get(producerId)
  }

  /** Oldest first. */
  states(): IterableIterator<ProducerState> {
    return this.#states.values()
  }

  /** States with an open transaction, by its first offset. */
  openTransactions(): ProducerState[] {
    return [...this.#open.values()].flatMap((id) => this.#states.get(id) ?? [])
  }

  /** The batch that `header` repeats. */
  duplicate(header: ProducerHeader): ProducerBatch | undefined {
    return duplicateOf(this.#states.get(header.producerId), header)
  }

  /** What appending `headers` in order, behind what is `planned` already, makes of it. Throws where one is refused; changes nothing. */
  plan(
    headers: readonly ProducerHeader[],
    origin: AppendOrigin,
    { transactionVersion, planned }: PlanOptions = {},
  ): ProducerPlan {
    const states = new Map(planned?.states)
    const began = [...(planned?.began ?? [])]
    const completed = [...(planned?.completed ?? [])]
    for (const header of headers) {
      const { producerId } = header
      const before = states.get(producerId) ?? this.#states.get(producerId) ?? unknownProducer(producerId)
      const step = nextProducerState(before, header, origin, transactionVersion)
      states.set(producerId, step.state)
      if (step.began !== undefined) began.push([step.began, producerId])
      if (step.completed !== undefined) completed.push(step.completed)
    }
    return { states, began, completed }
  }

  /** Carries a plan out but for what it completes: `complete` follows, one by one. */
  update({ states, began }: ProducerPlan): void {
    for (const id of inGatheredOrder([...states.keys()])) this.#put(states.get(id) as ProducerState)
    for (const [firstOffset, producerId] of began) this.#open.set(firstOffset, producerId)
  }

  /** Last stable offset once this transaction is complete and readable, for its entry in the transaction index. */
  stableAfter({ producerId, lastOffset }: CompletedTransaction): bigint {
    for (const [firstOffset, id] of this.#open) if (id !== producerId) return firstOffset
    return lastOffset + 1n
  }

  complete({ firstOffset, lastOffset }: CompletedTransaction): void {
    this.#open.delete(firstOffset)
    this.#undecided.set(firstOffset, lastOffset)
  }

  /** Transactions whose marker lies below `offset` are decided for all readers. */
  decideBelow(offset: bigint): void {
    if (this.#undecided.size === 0) return
    for (const [firstOffset, lastOffset] of this.#undecided) {
      if (lastOffset < offset) this.#undecided.delete(firstOffset)
    }
  }

  /** The least first offset of a transaction that is open, or ended at or above the high watermark. */
  firstUnstableOffset(): bigint | undefined {
    // Asked with every append, and nearly always of none.
    if (this.#open.size === 0 && this.#undecided.size === 0) return undefined
    let least: bigint | undefined = this.#open.keys().next().value
    for (const firstOffset of this.#undecided.keys()) {
      least = least === undefined ? firstOffset : minOffset(least, firstOffset)
    }
    return least
  }

  /** The offset that readers of committed data stop at. */
  lastStableOffset(highWatermark: bigint, logStartOffset: bigint): bigint {
    const unstable = this.firstUnstableOffset()
    if (unstable === undefined) return highWatermark
    return minOffset(maxOffset(unstable, logStartOffset), highWatermark)
  }

  /** Forgets producers without an open transaction that wrote nothing for `expirationMs`. Gives how many. */
  expire(nowMs: number, expirationMs: number): number {
    const before = this.#states.size
    for (const [id, state] of this.#states) {
      if (isExpired(state, nowMs, expirationMs)) this.#states.delete(id)
    }
    return before - this.#states.size
  }

  clear(): void {
    this.#states.clear()
    this.#open.clear()
    this.#undecided.clear()
  }

  /** Takes what a snapshot holds, less what has expired. */
  load(entries: readonly ProducerEntry[], nowMs: number, expirationMs: number): void {
    const states = entries.map(stateOf).filter((state) => !isExpired(state, nowMs, expirationMs))
    for (const state of states) this.#put(state)
    const open = states.filter((state) => state.transactionFirstOffset !== null)
    for (const { transactionFirstOffset, producerId } of open.sort(byTransaction)) {
      this.#open.set(transactionFirstOffset as bigint, producerId)
    }
  }

  /** What a snapshot holds, in a broker's order. */
  entries(): ProducerEntry[] {
    return inHashOrder([...this.#states.keys()], this.#capacity).map((id) =>
      entryOf(this.#states.get(id) as ProducerState),
    )
  }

  #put(state: ProducerState): void {
    this.#states.set(state.producerId, state)
    this.#capacity = grownCapacity(this.#capacity, this.#states.size)
  }
}

function isExpired(state: ProducerState, nowMs: number, expirationMs: number): boolean {
  return state.transactionFirstOffset === null && BigInt(nowMs) - state.lastTimestamp >= BigInt(expirationMs)
}

function byTransaction(a: ProducerState, b: ProducerState): number {
  return (a.transactionFirstOffset as bigint) < (b.transactionFirstOffset as bigint) ? -1 : 1
}

function stateOf(entry: ProducerEntry): ProducerState {
  const { producerId, producerEpoch, coordinatorEpoch, lastTimestamp, batch } = entry
  const transactionFirstOffset = entry.currentTransactionFirstOffset
  const batches = batch === null ? [] : [batch]
  return { producerId, producerEpoch, coordinatorEpoch, lastTimestamp, transactionFirstOffset, batches }
}

function entryOf({ transactionFirstOffset, batches, ...state }: ProducerState): ProducerEntry {
  return { ...state, currentTransactionFirstOffset: transactionFirstOffset, batch: batches.at(-1) ?? null }
}
