/**
 * Producers and an append: what the batches make of the table, asked before
 * anything is written, and carried out when they are in the log.
 */

import type { ProducerBatch } from '../../format/producer-snapshot.js'
import type { LogCore } from '../log-core.js'
import { activeSegment } from '../log-state.js'
import type { AppendOrigin } from './producer-checks.js'
import type { ProducerHeader } from './producer-header.js'
import type { ProducerPlan } from './producer-table.js'
import { addAborted } from './transaction-index-files.js'

/** The producers' side of some batches, in order; those without a producer left out. */
export interface ProducerBatches {
  readonly headers: readonly ProducerHeader[]
  readonly origin: AppendOrigin
  /** Of a marker: from 2 on it has to raise the producer's epoch. */
  readonly transactionVersion?: number
}

export const NO_PRODUCERS: ProducerBatches = { headers: [], origin: 'client' }

/** The batch that a client's append repeats, or the plan to carry out; undefined without producers. Throws where one is refused. */
export function planProducers(
  { producers: { table } }: LogCore,
  { headers, origin, transactionVersion }: ProducerBatches,
): { readonly duplicate?: ProducerBatch; readonly plan?: ProducerPlan } | undefined {
  if (headers.length === 0) return undefined
  const first = headers[0] as ProducerHeader
  const duplicate = origin === 'client' ? table.duplicate(first) : undefined
  return duplicate === undefined
    ? { plan: table.plan(headers, origin, { transactionVersion }) }
    : { duplicate }
}

/** The batches are in the active segment, and end below `nextOffset`. */
export function applyProducers(core: LogCore, plan: ProducerPlan | undefined, nextOffset: bigint): void {
  const { table } = core.producers
  if (plan !== undefined) {
    table.update(plan)
    for (const transaction of plan.completed) {
      const { producerId, firstOffset, lastOffset, isAborted } = transaction
      if (isAborted) {
        const lastStableOffset = table.stableAfter(transaction)
        const entry = { producerId, firstOffset, lastOffset, lastStableOffset }
        addAborted(core, activeSegment(core.state), entry)
      }
      table.complete(transaction)
    }
  }
  table.mapEndOffset = nextOffset
}
