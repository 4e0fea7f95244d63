/** What an operation of a producer, or a look at committed data, counts as. */
import type { Batch } from '../../../lib/format/batch.js'
import type { Operation } from './operation.js'
import type { View } from './view.js'

type Of<Name extends Operation['op']> = Extract<Operation, { op: Name }>

function isDuplicate(result: unknown): boolean {
  return (result as { duplicate?: boolean } | null)?.duplicate === true
}

export function appendKinds({ producer, records }: Of<'append'>, result: unknown): string[] {
  if (producer === undefined) return []
  if (isDuplicate(result)) return ['duplicate']
  const wraps = producer.baseSequence + records.length > 2 ** 31
  return [producer.transactional ? 'transactional' : 'sequences', ...(wraps ? ['sequences wrap'] : [])]
}

export function wireKinds(batches: readonly Batch[], result: unknown): string[] {
  if (isDuplicate(result)) return ['duplicate']
  return batches
    .filter(({ producerId }) => producerId >= 0n)
    .flatMap((batch) => {
      if (batch.isControl) return ['marker']
      const wraps = batch.lastSequence < batch.baseSequence
      return [batch.isTransactional ? 'transactional' : 'sequences', ...(wraps ? ['sequences wrap'] : [])]
    })
}

export function markerKinds({ producerId, producerEpoch, commit }: Of<'marker'>, { state }: View): string[] {
  const known = state.producers.find((producer) => producer.producerId === producerId)
  const ends = (known?.currentTxnFirstOffset ?? null) !== null
  const kinds = [ends ? (commit ? 'commits' : 'aborts') : 'ends nothing']
  if (known !== undefined && producerEpoch > known.producerEpoch) kinds.push('raises the epoch')
  return kinds
}

export function committedKinds({ isolation }: Of<'fetch'>, { state }: View, result: unknown): string[] {
  if (isolation === undefined) return []
  const { aborted } = result as { aborted: readonly unknown[] }
  const kinds = aborted.length > 0 ? ['committed, with aborted transactions'] : []
  if (state.lastStableOffset !== state.highWatermark) kinds.push('committed, stopped by a transaction')
  return kinds
}
