/**
 * What a batch makes of its producer's state, or why it is refused. Pure.
 * Follows Kafka 4.4's ProducerAppendInfo: batches from clients are checked
 * whole, markers by their epochs, what a follower gets hardly at all, since its
 * leader has done it.
 */

import { INT32_MAX } from '../../base/int64.js'
import { InvalidBatchError, PartitionLogError } from '../../errors.js'
import { NO_PRODUCER_EPOCH } from '../../format/layout.js'
import type { ProducerBatch } from '../../format/producer-snapshot.js'
import type { Marker, ProducerHeader } from './producer-header.js'
import { lastSequenceOf, type ProducerState, withBatch, withMarker } from './producer-state.js'

/**
 * Who appends: a producer, the coordinator of transactions, the leader's log
 * (a follower's append), or the log's own files when it is opened.
 */
export type AppendOrigin = 'client' | 'coordinator' | 'replication' | 'files'

/** The end of a transaction that had data. */
export interface CompletedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
  /** Of its marker. */
  readonly lastOffset: bigint
  readonly isAborted: boolean
}

export interface ProducerStep {
  readonly state: ProducerState
  /** First offset of a transaction that the batch begins. */
  readonly began: bigint | undefined
  readonly completed: CompletedTransaction | undefined
}

/** From this version of transactions on a marker raises the producer's epoch. */
const RAISING_VERSION = 2
const INT16_MAX = 32_767

/** The batch among the last five that `header` repeats. */
export function duplicateOf(
  state: ProducerState | undefined,
  header: ProducerHeader,
): ProducerBatch | undefined {
  if (state === undefined || state.producerEpoch !== header.producerEpoch) return undefined
  const { baseSequence, lastSequence } = header
  return state.batches.find(
    (batch) => batch.firstSequence === baseSequence && batch.lastSequence === lastSequence,
  )
}

/**
 * The state behind the batch. `ERR_PRODUCER_FENCED`, `ERR_OUT_OF_ORDER_SEQUENCE`,
 * `ERR_INVALID_TRANSACTION_STATE` where it is refused; `transactionVersion` is that of the
 * marker's request, 0 or 1 where its epoch may be the producer's own.
 */
export function nextProducerState(
  state: ProducerState,
  header: ProducerHeader,
  origin: AppendOrigin,
  transactionVersion = 0,
): ProducerStep {
  if (!header.isControl) return afterData(state, header, origin)
  // Cleaning has taken the whole transaction: nothing is left to end.
  if (header.marker === null) return { state, began: undefined, completed: undefined }
  return afterMarker(state, header, header.marker, origin, transactionVersion)
}

function afterData(state: ProducerState, header: ProducerHeader, origin: AppendOrigin): ProducerStep {
  const { baseOffset, lastOffset, producerEpoch } = header
  if (isChecked(origin) && producerEpoch < state.producerEpoch) throw fenced(state, header, 'is below')
  if (origin === 'client') checkSequence(state, header)
  const next = withBatch(state, producerEpoch, {
    firstSequence: firstSequenceOf(header),
    lastSequence: header.lastSequence,
    firstOffset: baseOffset,
    lastOffset,
    offsetDelta: Number(lastOffset - baseOffset),
    timestamp: header.maxTimestamp,
  })
  if (next.transactionFirstOffset !== null) {
    if (!header.isTransactional && origin !== 'files') throw notTransactional(next, header)
    return { state: next, began: undefined, completed: undefined }
  }
  if (!header.isTransactional) return { state: next, began: undefined, completed: undefined }
  return { state: { ...next, transactionFirstOffset: baseOffset }, began: baseOffset, completed: undefined }
}

function afterMarker(
  state: ProducerState,
  header: ProducerHeader,
  marker: Marker,
  origin: AppendOrigin,
  transactionVersion: number,
): ProducerStep {
  const { producerId, producerEpoch, lastOffset } = header
  if (isChecked(origin)) {
    checkMarkerEpoch(state, header, transactionVersion)
    if (state.coordinatorEpoch > marker.coordinatorEpoch) throw oldCoordinator(state, header, marker)
  }
  const firstOffset = state.transactionFirstOffset
  const isAborted = marker.type === 'ABORT'
  return {
    state: withMarker(state, producerEpoch, marker),
    began: undefined,
    completed: firstOffset === null ? undefined : { producerId, firstOffset, lastOffset, isAborted },
  }
}

function isChecked(origin: AppendOrigin): boolean {
  return origin === 'client' || origin === 'coordinator'
}

/** A repeated marker, and one of an epoch that cannot be raised any more, may have the producer's own. */
function checkMarkerEpoch(state: ProducerState, header: ProducerHeader, transactionVersion: number): void {
  const { producerEpoch } = header
  if (producerEpoch < state.producerEpoch) throw fenced(state, header, 'is below')
  if (transactionVersion < RAISING_VERSION || producerEpoch > state.producerEpoch) return
  if (state.transactionFirstOffset === null || producerEpoch === INT16_MAX) return
  throw fenced(state, header, 'is not above')
}

/** What is not known of a producer is taken from it: its batches may all have been deleted. */
function checkSequence(state: ProducerState, header: ProducerHeader): void {
  if (state.producerEpoch === NO_PRODUCER_EPOCH) return
  const { producerId, producerEpoch, baseSequence: actual } = header
  const last = producerEpoch === state.producerEpoch ? lastSequenceOf(state) : -1
  const expected = last === INT32_MAX ? 0 : last + 1
  if (actual === expected) return
  throw new InvalidBatchError(
    'ERR_OUT_OF_ORDER_SEQUENCE',
    `producer ${producerId} in epoch ${producerEpoch} goes on with sequence ${expected}, not ${actual}: batches between are missing, or this one is older than the last five`,
    { expected, actual },
  )
}

/** As Kafka counts back from the last; what is no sequence stays within 32 bits. */
function firstSequenceOf({ lastSequence, baseOffset, lastOffset }: ProducerHeader): number {
  const delta = Number(lastOffset - baseOffset)
  return (lastSequence >= delta ? lastSequence - delta : lastSequence - delta + 2 ** 31) | 0
}

function fenced(state: ProducerState, { producerId, producerEpoch }: ProducerHeader, relation: string) {
  return new PartitionLogError(
    'ERR_PRODUCER_FENCED',
    `epoch ${producerEpoch} of producer ${producerId} ${relation} ${state.producerEpoch}, which the log has seen: another producer has taken its place`,
    { expected: state.producerEpoch, actual: producerEpoch },
  )
}

function oldCoordinator(state: ProducerState, { producerId }: ProducerHeader, { coordinatorEpoch }: Marker) {
  return new PartitionLogError(
    'ERR_PRODUCER_FENCED',
    `coordinator epoch ${coordinatorEpoch} of a marker for producer ${producerId} is below ${state.coordinatorEpoch}, which the log has seen`,
    { expected: state.coordinatorEpoch, actual: coordinatorEpoch },
  )
}

function notTransactional(state: ProducerState, { producerId }: ProducerHeader) {
  const offset = state.transactionFirstOffset as bigint
  return new InvalidBatchError(
    'ERR_INVALID_TRANSACTION_STATE',
    `producer ${producerId} has a transaction open from offset ${offset} on: commit or abort it before a batch outside of it`,
    { offset },
  )
}
