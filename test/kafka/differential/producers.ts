/** What the producers of a random script do next, from what the log remembers of them. */
import { BatchEncoder, PLAIN_HEADER, sealBatch } from '../../../lib/format/batch-encoder.js'
import { addToSequence } from '../../../lib/format/record-batch.js'
import { markerBatch } from '../../../lib/log/producers/marker-batch.js'
import type { ProducerSpec } from './operation.js'
import type { Step } from './script.js'
import type { View } from './view.js'

/** Of the first three all meet in one bucket of a Java map of sixteen; the last has more than 32 bits. */
export const PRODUCER_IDS = ['16', '0', '32', '4294967297'] as const

/** Two records below where sequences wrap. */
const NEAR_WRAP = 2 ** 31 - 2

export function nextOf(id: string, { state }: View): { epoch: number; baseSequence: number } {
  const known = state.producers.find(({ producerId }) => producerId === id)
  const last = known?.batches.at(-1)?.lastSequence ?? -1
  return { epoch: known?.producerEpoch ?? 0, baseSequence: last < 0 ? 0 : addToSequence(last, 1) }
}

/** The producer's part of its next batch, and how many records that has. */
export function producerTurn(
  step: Extract<Step, { kind: 'produce' }>,
  view: View,
): { producer: ProducerSpec; count: number } {
  const id = PRODUCER_IDS[step.who] as string
  const known = view.state.producers.find(({ producerId }) => producerId === id)
  const { epoch, baseSequence } = nextOf(id, view)
  const isOpen = (known?.currentTxnFirstOffset ?? null) !== null
  // Now and then outside of the transaction that is open.
  const transactional = step.transactional || (isOpen && step.perMille > 200)
  const next = { id, epoch, baseSequence, transactional }
  const count = step.records.length
  const batches = known?.batches ?? []
  const old = batches[Math.floor((batches.length * step.perMille) / 1001)]
  switch (step.turn) {
    case 'repeat': {
      if (old === undefined || old.firstSequence < 0) return { producer: next, count }
      const length = Number(BigInt(old.lastOffset) - BigInt(old.firstOffset)) + 1
      return { producer: { ...next, baseSequence: old.firstSequence }, count: Math.min(length, 8) }
    }
    case 'gap':
      return { producer: { ...next, baseSequence: addToSequence(baseSequence, 2) }, count }
    case 'wrap':
      return { producer: known === undefined ? { ...next, baseSequence: NEAR_WRAP } : next, count }
    case 'epoch-up':
      return { producer: { ...next, epoch: epoch + 1, baseSequence: 0 }, count }
    case 'epoch-down':
      return { producer: { ...next, epoch: Math.max(0, epoch - 1) }, count }
    default:
      return { producer: next, count }
  }
}

/** A marker as a follower fetches it. */
export function markerBytes(marker: {
  readonly id: string
  readonly epoch: number
  readonly commit: boolean
  readonly baseOffset: bigint
  readonly partitionLeaderEpoch: number
  readonly nowMs: number
}): Buffer {
  const { id, epoch, commit, baseOffset, partitionLeaderEpoch, nowMs } = marker
  const ids = { producerId: BigInt(id), producerEpoch: epoch, isTransactional: true }
  const type = commit ? 'COMMIT' : 'ABORT'
  const batch = markerBatch(
    new BatchEncoder(),
    { ...PLAIN_HEADER, ...ids, baseOffset, partitionLeaderEpoch },
    { type, coordinatorEpoch: 0, timestamp: BigInt(nowMs) },
    { type: 'CreateTime' },
  )
  return sealBatch(Buffer.from(batch))
}
