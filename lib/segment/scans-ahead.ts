/**
 * The scans of a stretch of a log, one after the other: while the batches of
 * one are looked at, the next is under way on its thread.
 */

import type { BatchColumns, BatchScan, ScanOptions } from '../backend/contract.js'

/**
 * What `scan` gives, up to the one that does not end with `limit`. The columns of a scan hold
 * until the next one is asked for: then their memory is used again.
 */
export async function* scansAhead(
  scan: (options: ScanOptions) => Promise<BatchScan>,
  options: Omit<ScanOptions, 'reuse'>,
): AsyncGenerator<BatchScan, void, undefined> {
  let used: BatchColumns | undefined
  let next = scan(options)
  for (;;) {
    const found = await next
    if (found.stop === 'limit') {
      const { endPosition: fromPosition } = found
      next = scan({ ...options, fromPosition, ...(used && { reuse: used }) })
      // Heard when it is waited for, if ever.
      next.catch(() => undefined)
    }
    yield found
    if (found.stop !== 'limit') return
    used = found.batches
  }
}
