/**
 * Transactions that have begun and not ended: what holds readers of committed
 * data back, and whether somebody should look.
 */

import { jsonable } from '../base/jsonable.js'
import type { LogCore } from './log-core.js'

export interface OpenTransaction {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** Of its first record: readers of committed data do not pass it. */
  readonly firstOffset: bigint
  /** Of its producer's last batch, ms since the epoch. */
  readonly lastTimestamp: bigint
  /** Of its producer's last marker; null where there was none. */
  readonly coordinatorEpoch: number | null
  /** Its producer has written nothing for `transaction.max.timeout.ms` and five minutes: a coordinator would have ended it. */
  readonly isLate: boolean
  /** 64-bit numbers as decimal text. */
  toJSON(): object
}

/** What Kafka allows a coordinator for ending a transaction that has timed out. */
const LATE_BUFFER_MS = 5 * 60_000

/** By first offset. */
export function openTransactions({ producers, env }: LogCore): OpenTransaction[] {
  const nowMs = BigInt(env.clock.nowMs())
  const limitMs = BigInt(env.producerLimits.transactionMaxTimeoutMs + LATE_BUFFER_MS)
  return producers.table.openTransactions().map((state) => {
    const { producerId, producerEpoch, lastTimestamp, transactionFirstOffset } = state
    const firstOffset = transactionFirstOffset as bigint
    const coordinatorEpoch = state.coordinatorEpoch < 0 ? null : state.coordinatorEpoch
    const isLate = lastTimestamp > 0n && nowMs - lastTimestamp > limitMs
    const told = { producerId, producerEpoch, firstOffset, lastTimestamp, coordinatorEpoch, isLate }
    return jsonable(told)
  })
}
