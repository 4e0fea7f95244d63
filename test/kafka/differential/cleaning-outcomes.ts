/** What a cleaning counts as: from what the log held before, and what it left. */
import type { Batch } from '../../../lib/format/batch.js'
import type { CleanedRound } from './cleaner-watch.js'
import type { LogState } from './contender.js'
import type { View } from './view.js'

export interface Cleaned {
  readonly before: View
  /** The log's batches before and after. */
  readonly was: readonly Batch[]
  readonly is: readonly Batch[]
  readonly state: LogState
  readonly rounds: readonly CleanedRound[]
}

export function cleanKinds(cleaned: Cleaned): string[] {
  const { rounds, before } = cleaned
  const policy = before.config.cleanupPolicy.join(',')
  if (rounds.length === 0) return ['nothing due', `policy ${policy === '' ? 'none' : policy}`]
  return [`policy ${policy}`, ...roundKinds(cleaned), ...batchKinds(cleaned), ...recordKinds(cleaned)]
}

function roundKinds({ rounds, before, state }: Cleaned): string[] {
  const kinds = rounds.length > 1 ? ['several rounds'] : []
  const { minCleanableDirtyRatio } = before.config
  if (rounds.some(({ endOffset, firstUncleanableOffset }) => endOffset !== firstUncleanableOffset))
    kinds.push('map full')
  if (rounds.some(({ dirtyRatio }) => dirtyRatio <= minCleanableDirtyRatio)) kinds.push('overdue')
  if (rounds.some(({ cleanBytes }) => cleanBytes > 0)) kinds.push('behind a clean section')
  if (state.segments.length < before.state.segments.length) kinds.push('segments joined')
  const active = BigInt(before.active.baseOffset)
  if (BigInt(rounds.at(-1)?.firstUncleanableOffset ?? 0) < active)
    kinds.push('stops below the active segment')
  return kinds
}

function batchKinds({ was, is }: Cleaned): string[] {
  const kinds: string[] = []
  const left = new Set(is.map(({ lastOffset }) => lastOffset))
  const has = (batches: readonly Batch[], what: (batch: Batch) => boolean) => batches.some(what)
  const isGone = ({ lastOffset }: Batch) => !left.has(lastOffset)
  if (has(was, isGone)) kinds.push('batch gone')
  if (has(was, (batch) => batch.isControl && isGone(batch))) kinds.push('marker gone')
  if (has(was, (batch) => batch.isTransactional && !batch.isControl && isGone(batch)))
    kinds.push('batch of a transaction gone')
  if (has(is, ({ count }) => count === 0)) kinds.push('empty batch stays')
  if (has(is, (batch) => batch.isControl && batch.deleteHorizonMs !== null))
    kinds.push('marker with a horizon')
  if (has(is, (batch) => !batch.isControl && batch.deleteHorizonMs !== null))
    kinds.push('tombstone with a horizon')
  if (has(is, ({ count, baseOffset, lastOffset }) => count > 0 && BigInt(count) <= lastOffset - baseOffset))
    kinds.push('batch kept in part')
  if (
    has(
      is,
      ({ codec, count, baseOffset, lastOffset }) =>
        codec !== 'none' && BigInt(count) <= lastOffset - baseOffset,
    )
  )
    kinds.push('compressed batch kept in part')
  return kinds
}

function recordKinds({ was, is }: Cleaned): string[] {
  const left = new Set(offsetsOf(is, () => true))
  const isGone = (offset: bigint) => !left.has(offset)
  const kinds: string[] = []
  if (offsetsOf(was, ({ value }) => value === null).some(isGone)) kinds.push('tombstone gone')
  if (offsetsOf(was, ({ key }) => key === null).some(isGone)) kinds.push('record without a key gone')
  return kinds
}

function offsetsOf(
  batches: readonly Batch[],
  wanted: (record: { key: Buffer | null; value: Buffer | null }) => boolean,
): bigint[] {
  return batches
    .filter(({ isControl }) => !isControl)
    .flatMap((batch) => [...batch.records()].filter(wanted).map(({ offset }) => offset))
}
