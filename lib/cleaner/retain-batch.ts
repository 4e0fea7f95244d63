/**
 * Decides what may become of a whole batch before its records are looked at.
 * Pure; follows the `checkBatchRetention` of Kafka's cleaner.
 *
 * A batch whose records all go stays as an empty one where its header is still
 * needed: it carries the last sequence of a producer that is still known, or
 * it ends at the high watermark and tells readers where the log goes on.
 */

import { NO_PRODUCER_ID } from '../format/layout.js'
import type { LastRecord } from './clean-job.js'

/** What is done with a batch that keeps no record. */
export type WhenEmpty =
  /** It goes, and nobody needs to look at its records. */
  | 'delete'
  /** Its header stays. */
  | 'retain-empty'
  /** It goes. */
  | 'delete-empty'

export interface BatchRetention {
  readonly whenEmpty: WhenEmpty
  /** No record of it stays. */
  readonly discardsRecords: boolean
  /** A marker that nothing refers to: it gets a delete horizon, and goes once that has passed. */
  readonly isMarkerOfNothing: boolean
}

export interface BatchToRetain {
  readonly isControl: boolean
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly lastOffset: bigint
  /** Null where none is set. */
  readonly deleteHorizonMs: bigint | null
  /** As the transaction filter says: an aborted transaction's, or a marker of nothing. */
  readonly isDiscardable: boolean
}

export interface BatchRetentionContext {
  readonly producers: ReadonlyMap<bigint, LastRecord>
  readonly highWatermark: bigint
  readonly nowMs: bigint
}

/** Of a batch with nothing about it: its records decide. */
export const BY_RECORDS: BatchRetention = Object.freeze({
  whenEmpty: 'delete-empty',
  discardsRecords: false,
  isMarkerOfNothing: false,
})

export function retainBatch(batch: BatchToRetain, context: BatchRetentionContext): BatchRetention {
  const discardsRecords = batch.isDiscardable && (!batch.isControl || hasExpired(batch, context.nowMs))
  return {
    whenEmpty: whenEmpty(batch, context, discardsRecords),
    discardsRecords,
    isMarkerOfNothing: batch.isDiscardable && batch.isControl,
  }
}

/** Whether its header has to stay whatever becomes of its records. */
export function isHeaderNeeded(
  batch: Omit<BatchToRetain, 'deleteHorizonMs' | 'isDiscardable'>,
  { producers, highWatermark }: BatchRetentionContext,
): boolean {
  if (batch.lastOffset + 1n === highWatermark) return true
  if (batch.producerId === NO_PRODUCER_ID) return false
  const last = producers.get(batch.producerId)
  if (last === undefined) return false
  if (last.lastDataOffset !== null) return batch.lastOffset === last.lastDataOffset
  // Of a producer of which only a marker is left, the marker has the epoch that fences.
  return batch.isControl && batch.producerEpoch === last.producerEpoch
}

function whenEmpty(
  batch: BatchToRetain,
  context: BatchRetentionContext,
  discardsRecords: boolean,
): WhenEmpty {
  if (isHeaderNeeded(batch, context)) return 'retain-empty'
  return discardsRecords ? 'delete' : 'delete-empty'
}

function hasExpired({ deleteHorizonMs }: BatchToRetain, nowMs: bigint): boolean {
  return deleteHorizonMs !== null && deleteHorizonMs <= nowMs
}
