/**
 * What an operation and its outcome count as. Everything is taken from what
 * the contenders were asked and what they agreed on.
 */
import type { Batch } from '../../../lib/format/batch.js'
import { recordBatches } from '../../../lib/format/batches.js'
import { planRetention } from '../../../lib/log/retention-plan.js'
import type { LogState, Outcome } from './contender.js'
import type { MeantName } from './meant-differences.js'
import { fromBase64, type Operation } from './operation.js'
import { appendKinds, committedKinds, markerKinds, wireKinds } from './producer-outcomes.js'
import type { Tally } from './tally.js'
import type { View } from './view.js'

interface Happened {
  /** The log before it. */
  readonly before: View
  readonly ours: Outcome
  readonly kafka: Outcome
  readonly meant: MeantName | undefined
}

export function countOutcome(tally: Tally, operation: Operation, happened: Happened): void {
  const { ours, kafka, meant } = happened
  for (const reason of ours.rolls ?? []) tally.count(`roll: ${reason}`)
  if (meant !== undefined) tally.count(`meant difference: ${meant}`)
  else if (ours.refused !== undefined)
    tally.count(`${operation.op}: refused, ${ours.refused.code}, ${kafka.refused?.as}`)
  else countDone(tally, operation, happened)
}

function countDone(tally: Tally, operation: Operation, happened: Happened): void {
  tally.count(`${operation.op}: done`)
  for (const kind of kindsOf(operation, happened)) tally.count(`${operation.op}: ${kind}`)
  for (const kind of epochKinds(happened)) tally.count(`leader epochs: ${kind}`)
  if (
    operation.op === 'advance' &&
    happened.ours.state.producers.length < happened.before.state.producers.length
  )
    tally.count('producers: forgotten')
}

function kindsOf(operation: Operation, { before, ours }: Happened): string[] {
  const { result, state } = ours
  switch (operation.op) {
    case 'append':
      return [`codec ${operation.codec}`, ...appendKinds(operation, result)]
    case 'marker':
      return markerKinds(operation, before)
    case 'leader':
      return result === null
        ? ['nothing to append']
        : [...batchesIn(operation.bytes).map(codecKind), ...wireKinds(batchesIn(operation.bytes), result)]
    case 'follower':
      return followerKinds(operation.bytes, before, result as { lastOffset: string } | null)
    case 'fetch':
      return [
        (result as { bytes: string }).bytes === '' ? 'nothing' : 'batches',
        ...committedKinds(operation, before, result),
      ]
    case 'read':
      return [
        (result as string[]).length === 0 ? 'nothing' : 'records',
        ...(operation.isolation === undefined ? [] : ['committed']),
      ]
    case 'locate':
      return [(result as { batch: unknown }).batch === null ? 'no batch' : 'a batch']
    case 'time':
    case 'maxTime':
    case 'epochEnd':
      return [result === null ? 'none' : 'found']
    case 'deleteBefore':
      return [before.state.logStartOffset === state.logStartOffset ? 'no change' : 'raised']
    case 'highWatermark':
      return [before.state.highWatermark === state.highWatermark ? 'no change' : 'raised']
    case 'retain':
      return retainKinds(before, ours)
    case 'crash':
      return [
        operation.damage?.kind ?? 'no damage',
        ...(BigInt(state.logEndOffset) < before.end ? ['records cut'] : []),
      ]
    case 'advance':
      return advanceKinds(before, ours)
    case 'truncate':
      return truncateKinds(BigInt(operation.offset), before, state)
    default:
      return []
  }
}

function batchesIn(bytes: string): Batch[] {
  return [...recordBatches(fromBase64(bytes))]
}

function codecKind({ codec, magic }: Batch): string {
  return magic === 2 ? `codec ${codec}` : `magic ${magic}`
}

function followerKinds(bytes: string, before: View, result: { lastOffset: string } | null): string[] {
  if (result === null) return ['nothing to append']
  const batches = batchesIn(bytes)
  const taken = batches.filter(({ lastOffset }) => lastOffset <= BigInt(result.lastOffset))
  const wholeBytes = batches.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  const epochs = new Set(taken.map(({ partitionLeaderEpoch }) => partitionLeaderEpoch))
  const kinds = [...taken.map(codecKind), ...wireKinds(taken, result)]
  if (taken.length > 1) kinds.push('several batches')
  if (epochs.size > 1) kinds.push('several epochs')
  if (taken.length < batches.length) kinds.push('newer epoch not taken')
  if (wholeBytes < fromBase64(bytes).length) kinds.push('cut batch not taken')
  if (hasGap(taken, before.end)) kinds.push('with gaps')
  return kinds
}

function hasGap(batches: readonly Batch[], end: bigint): boolean {
  return batches.some(({ baseOffset }, index) => {
    const before = batches[index - 1]
    return baseOffset > (before === undefined ? end : before.lastOffset + 1n)
  })
}

function truncateKinds(offset: bigint, before: View, after: LogState): string[] {
  if (offset >= before.end) return ['nothing to cut']
  const kinds = [before.recordsEndBelow(offset) < offset ? 'into a batch or gap' : 'between batches']
  if (after.segments.length < before.state.segments.length) kinds.push('removes segments')
  if (after.segments.at(-1)?.sizeInBytes === 0) kinds.push('empties a segment')
  if (offset < before.start) kinds.push('below the start')
  return kinds
}

function retainKinds(before: View, { result, state, deletions = [] }: Outcome): string[] {
  const kinds = deletions.length === 0 ? ['nothing due'] : [...new Set(deletions)]
  if (deletions.length > 0 && deletions.length === before.state.segments.length) kinds.push('rolled first')
  if (dueWithoutHighWatermark(before) > deletions.length) kinds.push('held by the high watermark')
  if (isWaiting(result)) kinds.push('.deleted there')
  const policy = before.config.cleanupPolicy.join(',')
  kinds.push(`policy ${policy === '' ? 'none' : policy}`)
  if (deletions.length > 0 && BigInt(state.logStartOffset) > before.start) kinds.push('start raised')
  return kinds
}

/** How many segments were due if readers could read all of the log. */
function dueWithoutHighWatermark({ state, config, nowMs, start, end }: View): number {
  const segments = state.segments.map(({ baseOffset, sizeInBytes, largestTimestamp }, index) => ({
    baseOffset: BigInt(baseOffset),
    nextOffset: BigInt(state.segments[index + 1]?.baseOffset ?? end),
    isActive: index === state.segments.length - 1,
    sizeInBytes,
    largestTimestamp: BigInt(largestTimestamp),
    modifiedMs: nowMs,
  }))
  return planRetention({ segments, logStartOffset: start, highWatermark: end }, config, nowMs).deletions
    .length
}

function advanceKinds(before: View, { result, state }: Outcome): string[] {
  const kinds: string[] = []
  if (isWaiting(before.files)) kinds.push(isWaiting(result) ? '.deleted still there' : '.deleted gone')
  if (BigInt(state.segments[0]?.baseOffset ?? 0) > BigInt(before.state.segments[0]?.baseOffset ?? 0))
    kinds.push('retention was due')
  return kinds
}

function isWaiting(files: unknown): boolean {
  return (files as readonly string[]).some((name) => name.endsWith('.deleted'))
}

function epochKinds({ before, ours: { state } }: Happened): string[] {
  const { epochs } = before.state
  const kinds: string[] = []
  if ((state.epochs.at(-1)?.epoch ?? -1) > (epochs.at(-1)?.epoch ?? -1)) kinds.push('begun')
  if (state.epochs.length < epochs.length) kinds.push('dropped')
  const [was, is] = [epochs[0], state.epochs[0]]
  if (was !== undefined && is !== undefined && BigInt(is.startOffset) > BigInt(was.startOffset))
    kinds.push('begin later, with the log')
  return kinds
}
