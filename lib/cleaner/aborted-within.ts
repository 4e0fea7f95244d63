/**
 * Looks up which aborted transactions touch a stretch of the log, among the
 * entries that a cleaning was told of. Pure; follows Kafka's
 * `collectAbortedTransactions`, as a read's own lookup does.
 */

import type { AbortedTransaction } from '../segment/transaction-index.js'
import type { CleanJob } from './clean-job.js'

/**
 * Those with records in `[from, to)`. An entry lies in the segment that holds
 * the transaction's marker, so later segments are asked too, up to an entry
 * that says that nothing begins before `to` any more.
 */
export function abortedWithin(
  { segments, abortedBehind }: Pick<CleanJob, 'segments' | 'abortedBehind'>,
  from: bigint,
  to: bigint,
): AbortedTransaction[] {
  const found: AbortedTransaction[] = []
  const last = segments.findLastIndex(({ baseOffset }) => baseOffset <= from)
  const lists = segments.slice(Math.max(0, last)).map(({ aborted }) => aborted)
  for (const entry of [...lists, abortedBehind].flat()) {
    if (entry.lastOffset >= from && entry.firstOffset < to) found.push(entry)
    if (entry.lastStableOffset >= to) break
  }
  return found
}
