/**
 * What the plan of index entries needs to know of the batches of a scan. Of
 * hundreds of thousands a second most bring no entry, so those between two
 * entries are told to the plan as one.
 */

import type { BatchColumns } from '../../backend/contract.js'
import { Int64Values } from '../../base/int64.js'
import type { BatchFacts, IndexState } from '../../segment/index-plan.js'

/**
 * In order. Each batch for which an entry can be due is there by itself; those
 * behind it are one fact, with the last offset of the first that has the
 * largest timestamp: the plan comes to the same.
 */
export function factsOf(
  batches: BatchColumns,
  { bytesSinceLastEntry }: IndexState,
  indexIntervalBytes: number,
): BatchFacts[] {
  const { count, sizes } = batches
  const times = new Int64Values(batches.maxTimestamps)
  const facts: BatchFacts[] = []
  let since = bytesSinceLastEntry
  let bytes = 0
  let largest: number | bigint = 0
  let largestRow = 0
  for (let row = 0; row < count; row++) {
    const size = sizes[row] as number
    const time = times.at(row)
    if (since > indexIntervalBytes) {
      if (bytes > 0) facts.push(factOf(batches, largestRow, bytes))
      facts.push(factOf(batches, row, size))
      bytes = 0
      since = size
      continue
    }
    if (bytes === 0 || time > largest) {
      largest = time
      largestRow = row
    }
    bytes += size
    since += size
  }
  if (bytes > 0) facts.push(factOf(batches, largestRow, bytes))
  return facts
}

function factOf({ lastOffsets, maxTimestamps }: BatchColumns, row: number, sizeInBytes: number): BatchFacts {
  return {
    sizeInBytes,
    lastOffset: lastOffsets[row] as bigint,
    maxTimestamp: maxTimestamps[row] as bigint,
  }
}
