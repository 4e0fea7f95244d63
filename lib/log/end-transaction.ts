/**
 * Ending a transaction: its marker is appended, and from then on its records
 * are committed or aborted for all readers.
 */

import { INT32_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { wrongType } from '../errors.js'
import { PLAIN_HEADER } from '../format/batch-encoder.js'
import { leaderEpochOf, timeOf } from './append.js'
import { type Appended, assignedBatch } from './batches-to-append.js'
import type { LogCore } from './log-core.js'
import { markerBatch } from './producers/marker-batch.js'
import type { Marker, ProducerHeader } from './producers/producer-header.js'
import { writeBatches } from './write-batches.js'

export interface EndTransactionOptions {
  readonly producerId: Int64Input
  readonly producerEpoch: number
  readonly commit: boolean
  /** Of the coordinator that decided; never below that of an earlier marker. Default: the producer's last, or 0. */
  readonly coordinatorEpoch?: number
  readonly leaderEpoch?: number
  /** From 2 on (Kafka 4) `producerEpoch` has to be above the producer's, which goes on with it at sequence 0. Default 1. */
  readonly transactionVersion?: number
}

const OPTIONS = knownKeys<EndTransactionOptions>({
  producerId: true,
  producerEpoch: true,
  commit: true,
  coordinatorEpoch: true,
  leaderEpoch: true,
  transactionVersion: true,
})

const INT16_MAX = 32_767
const LATEST_TRANSACTION_VERSION = 2

/** Appends the marker. `ERR_PRODUCER_FENCED` for an epoch below what the log has seen; nothing is written then. */
export function endTransaction(core: LogCore, options: EndTransactionOptions): Appended {
  try {
    core.assertWritable()
    checkKnown(options, OPTIONS)
    if (typeof options.commit !== 'boolean') throw wrongType('commit', 'a boolean', options.commit)
    return writeMarker(core, options)
  } catch (error) {
    throw core.counters.refused(error)
  }
}

function writeMarker(core: LogCore, options: EndTransactionOptions): Appended {
  const producerId = toInt64('producerId', options.producerId, 0n)
  const producerEpoch = toInteger('producerEpoch', options.producerEpoch, 0, INT16_MAX)
  const { transactionVersion = 1 } = options
  toInteger('transactionVersion', transactionVersion, 0, LATEST_TRANSACTION_VERSION)
  const nowMs = core.env.clock.nowMs()
  const marker: Marker = {
    type: options.commit ? 'COMMIT' : 'ABORT',
    coordinatorEpoch: coordinatorEpochOf(core, producerId, options.coordinatorEpoch),
    timestamp: BigInt(nowMs),
  }
  const { logEndOffset: offset } = core.state
  const epoch = leaderEpochOf(core, options.leaderEpoch)
  const ids = { producerId, producerEpoch, baseOffset: offset }
  const header = { ...PLAIN_HEADER, ...ids, partitionLeaderEpoch: epoch, isTransactional: true }
  const bytes = markerBatch(core.encoder, header, marker, timeOf(core.config, nowMs))
  const { timestamp: maxTimestamp } = marker
  const written: ProducerHeader = {
    ...{ ...ids, lastOffset: offset, baseSequence: -1, lastSequence: -1, maxTimestamp },
    ...{ isTransactional: true, isControl: true, marker },
  }
  const batch = assignedBatch({
    ...{ bytes, length: bytes.length, baseOffset: offset, lastOffset: offset, maxTimestamp, epoch, count: 1 },
    producers: { headers: [written], origin: 'coordinator', transactionVersion },
  })
  return writeBatches(core, [batch], nowMs)
}

function coordinatorEpochOf(core: LogCore, producerId: bigint, given: number | undefined): number {
  if (given !== undefined) return toInteger('coordinatorEpoch', given, 0, INT32_MAX)
  return Math.max(0, core.producers.table.state(producerId)?.coordinatorEpoch ?? 0)
}
