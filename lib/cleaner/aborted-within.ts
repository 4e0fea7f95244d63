/**
 * Looks up which aborted transactions touch a stretch of the log, among the
 * entries that a cleaning was told of. Pure; follows Kafka's
 * `collectAbortedTransactions`, as a read's own lookup does.
 */

import { type AbortedTransaction, abortedIn } from '../segment/transaction-index.js'
import type { CleanJob } from './clean-job.js'

/** Those with records in `[from, to)`; see `abortedIn`. */
export function abortedWithin(
  { segments, abortedBehind }: Pick<CleanJob, 'segments' | 'abortedBehind'>,
  from: bigint,
  to: bigint,
): AbortedTransaction[] {
  const first = Math.max(
    0,
    segments.findLastIndex(({ baseOffset }) => baseOffset <= from),
  )
  return abortedIn(listsFrom(segments, first, abortedBehind), from, to)
}

/** One at a time: mostly the first few say all. */
function* listsFrom(segments: CleanJob['segments'], first: number, behind: readonly AbortedTransaction[]) {
  for (let at = first; at < segments.length; at++) yield segments[at]?.aborted ?? []
  yield behind
}
