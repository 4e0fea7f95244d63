/**
 * What of a batch concerns its producer, from a batch in memory or from a row
 * of a scan. Only batches with a producer id have one.
 */

import type { BatchColumns } from '../../backend/contract.js'
import type { Batch } from '../../format/batch.js'
import { parseControlKey, parseEndTransactionMarker } from '../../format/control-record.js'
import { CONTROL_BIT, NO_SEQUENCE, TRANSACTIONAL_BIT } from '../../format/layout.js'
import { addToSequence } from '../../format/record-batch.js'

/** The end of a transaction, as its marker tells it. */
export interface Marker {
  readonly type: 'ABORT' | 'COMMIT'
  readonly coordinatorEpoch: number
  /** ms since the epoch. */
  readonly timestamp: bigint
}

export interface ProducerHeader {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** -1 for a batch without sequences. */
  readonly baseSequence: number
  readonly lastSequence: number
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly maxTimestamp: bigint
  readonly isTransactional: boolean
  readonly isControl: boolean
  /** Of a control batch; null for data, and for a control batch that cleaning has emptied: its transaction is gone. */
  readonly marker: Marker | null
}

/** Undefined for a batch without a producer. Opens a control batch: `ERR_INVALID_BATCH` where that holds no marker. */
export function producerHeaderOf(batch: Batch): ProducerHeader | undefined {
  if (batch.producerId < 0n) return undefined
  const { producerId, producerEpoch, baseSequence, lastSequence } = batch
  const { baseOffset, lastOffset, maxTimestamp, isTransactional, isControl } = batch
  const marker = isControl ? markerOf(batch) : null
  return {
    ...{ producerId, producerEpoch, baseSequence, lastSequence },
    ...{ baseOffset, lastOffset, maxTimestamp, isTransactional, isControl, marker },
  }
}

/** The same of row `row`; a control batch's marker is left to be read. */
export function producerHeaderAt(batches: BatchColumns, row: number): ProducerHeader | undefined {
  const producerId = batches.producerIds[row] as bigint
  if (producerId < 0n) return undefined
  const attributes = batches.attributes[row] as number
  const baseSequence = batches.baseSequences[row] as number
  const baseOffset = batches.baseOffsets[row] as bigint
  const lastOffset = batches.lastOffsets[row] as bigint
  return {
    producerId,
    producerEpoch: batches.producerEpochs[row] as number,
    baseSequence,
    lastSequence:
      baseSequence < 0 ? NO_SEQUENCE : addToSequence(baseSequence, Number(lastOffset - baseOffset)),
    baseOffset,
    lastOffset,
    maxTimestamp: batches.maxTimestamps[row] as bigint,
    isTransactional: (attributes & TRANSACTIONAL_BIT) !== 0,
    isControl: (attributes & CONTROL_BIT) !== 0,
    marker: null,
  }
}

/** The marker in a control batch; null for one without records, and for control records of other kinds. */
export function markerOf(batch: Batch): Marker | null {
  for (const { key, value, timestamp } of batch.records()) {
    const { type } = parseControlKey(key)
    if (type !== 'ABORT' && type !== 'COMMIT') return null
    return { type, timestamp, coordinatorEpoch: parseEndTransactionMarker(value).coordinatorEpoch }
  }
  return null
}
