/**
 * Batches on their way into the active segment, with all that was decided about
 * them, and what became of them.
 */

import type { BatchFacts } from '../segment/index-plan.js'
import { type LeaderEpochs, NO_EPOCHS } from './leader-epochs.js'
import type { ProducerBatches } from './producers/append-producers.js'

/** Where an append went. */
export interface Appended {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  /** The producer's batch was there already: the offsets are those of then, and nothing was written. */
  readonly duplicate: boolean
}

/** A leader epoch with the offset where it was seen, or a batch that carries none. */
export type EpochChange = { readonly epoch: number; readonly startOffset: bigint } | 'none'

/** Bytes to append, one or more whole batches, with what was decided about them. */
export interface BatchesToAppend {
  readonly bytes: Uint8Array
  readonly length: number
  readonly facts: readonly BatchFacts[]
  readonly firstOffset: bigint
  readonly maxTimestamp: bigint
  /** Base offset of a new segment, if one is needed. */
  readonly rollBaseOffset: bigint
  /** Leader epochs to note, in order. */
  readonly epochs: readonly EpochChange[]
  /** One batch of our own whose checksum is still to be set. */
  readonly seal: boolean
  /** Records in them, for the counters. */
  readonly count: number
  readonly producers: ProducerBatches
}

/** One batch of magic 2 that gets its offsets here. */
export interface AssignedBatch {
  readonly bytes: Uint8Array
  readonly length: number
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
  readonly epoch: number
  readonly count: number
  readonly producers: ProducerBatches
}

/** It, on its way; its checksum is still to be set. */
export function assignedBatch(batch: AssignedBatch): BatchesToAppend {
  const { bytes, length, baseOffset, lastOffset, maxTimestamp, epoch, count, producers } = batch
  return {
    bytes,
    length,
    facts: [{ sizeInBytes: length, lastOffset, maxTimestamp }],
    firstOffset: baseOffset,
    rollBaseOffset: baseOffset,
    maxTimestamp,
    epochs: [{ epoch, startOffset: baseOffset }],
    seal: true,
    count,
    producers,
  }
}

/** Kafka forgets all epochs when a batch of an old format comes, which carries none. */
export function noteEpoch(epochs: LeaderEpochs, change: EpochChange): LeaderEpochs {
  return change === 'none' ? NO_EPOCHS : epochs.assigned(change.epoch, change.startOffset)
}
