/**
 * What a log remembers of one producer: its epochs, its last five batches and
 * its open transaction. Immutable; follows Kafka's ProducerStateEntry.
 */

import { NO_PRODUCER_EPOCH, NO_SEQUENCE, NO_TIMESTAMP } from '../../format/layout.js'
import type { ProducerBatch } from '../../format/producer-snapshot.js'

export interface ProducerState {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** Of the last marker; -1 for a producer without one. */
  readonly coordinatorEpoch: number
  /** Of the last batch or marker, ms since the epoch. */
  readonly lastTimestamp: bigint
  /** Null where no transaction is open. */
  readonly transactionFirstOffset: bigint | null
  /** The last batches of the current epoch, oldest first, five at most. */
  readonly batches: readonly ProducerBatch[]
}

/** Batches remembered, so that a retry of any request in flight is known. */
const BATCHES_KEPT = 5
const NO_COORDINATOR = -1

export function unknownProducer(producerId: bigint): ProducerState {
  return {
    producerId,
    producerEpoch: NO_PRODUCER_EPOCH,
    coordinatorEpoch: NO_COORDINATOR,
    lastTimestamp: NO_TIMESTAMP,
    transactionFirstOffset: null,
    batches: [],
  }
}

/** A higher epoch begins with no batches. */
export function withEpoch(state: ProducerState, producerEpoch: number): ProducerState {
  return state.producerEpoch === producerEpoch ? state : { ...state, producerEpoch, batches: [] }
}

export function withBatch(state: ProducerState, producerEpoch: number, batch: ProducerBatch): ProducerState {
  const { batches, ...others } = withEpoch(state, producerEpoch)
  const kept = batches.length < BATCHES_KEPT ? batches : batches.slice(1)
  return { ...others, batches: [...kept, batch], lastTimestamp: batch.timestamp }
}

/** The state behind a marker: no transaction is open; in the same epoch sequences go on. */
export function withMarker(
  state: ProducerState,
  producerEpoch: number,
  { coordinatorEpoch, timestamp }: { readonly coordinatorEpoch: number; readonly timestamp: bigint },
): ProducerState {
  return {
    ...withEpoch(state, producerEpoch),
    coordinatorEpoch,
    lastTimestamp: timestamp,
    transactionFirstOffset: null,
  }
}

/** Sequence of the last record; -1 where none is known. */
export function lastSequenceOf({ batches }: ProducerState): number {
  return batches.at(-1)?.lastSequence ?? NO_SEQUENCE
}
