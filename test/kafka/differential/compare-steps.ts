/** What two contenders made of the same operation. */
import type { CleanedRound } from './cleaner-watch.js'
import type { LogState, Outcome } from './contender.js'
import { firstDifference } from './difference.js'
import { type Comparison, fromBase64, type Operation } from './operation.js'
import { decodedBatches } from './records.js'

/** Null where result or refusal, and the state after it, are equal. */
export function outcomeDifference(
  operation: Operation,
  expected: Outcome,
  actual: Outcome,
  comparison: Comparison,
): string | null {
  return firstDifference(form(operation, expected, comparison), form(operation, actual, comparison))
}

export function sameState(
  operation: Operation,
  left: Outcome,
  right: Outcome,
  comparison: Comparison,
): boolean {
  const [one, other] = [left, right].map(({ state }) => stateForm(operation, state, comparison))
  return firstDifference(one, other) === null
}

function form(operation: Operation, outcome: Outcome, comparison: Comparison): object {
  const state = stateForm(operation, outcome.state, comparison)
  if (outcome.refused !== undefined) return { refused: outcome.refused.code, state }
  const result = comparison === 'exact' ? outcome.result : decodedResult(operation, outcome.result)
  return { result, state }
}

/** The recovery point moves with flushes in the background, so it is compared where a flush was asked for. */
function stateForm({ op }: Operation, state: LogState, comparison: Comparison): object {
  const { recoveryPoint, segments, ...offsets } = state
  return {
    ...offsets,
    ...(op === 'flush' || op === 'reopen' ? { recoveryPoint } : {}),
    segments: comparison === 'exact' ? segments : segments.map(({ sizeInBytes: _, ...segment }) => segment),
  }
}

/** Without what depends on how many bytes a codec made. */
function decodedResult({ op }: Operation, result: unknown): unknown {
  if (op === 'clean') return withoutSizes(result as { rounds: readonly CleanedRound[] })
  if (op === 'fetch') return decodedBatches(fromBase64((result as { bytes: string }).bytes))
  if (op !== 'locate') return result
  const { segment, indexEntry, batch } = result as {
    segment: string
    indexEntry: { offset: string }
    batch: object | null
  }
  return { segment, indexEntry: indexEntry.offset, isThere: batch !== null }
}

function withoutSizes({ rounds, ...more }: { readonly rounds: readonly CleanedRound[] }): object {
  const offsets = rounds.map(({ firstDirtyOffset, firstUncleanableOffset, endOffset, ...round }) => {
    const { recordsRead, recordsWritten } = round
    return { firstDirtyOffset, firstUncleanableOffset, endOffset, recordsRead, recordsWritten }
  })
  return { ...more, rounds: offsets }
}
