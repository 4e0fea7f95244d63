/**
 * Looks an offset up in an `.index` as a broker does. In one whose entries do
 * not rise the answer depends on the way of the search, so it is Kafka's here,
 * its preference for the end of the index with it.
 */

import type { DumpedFile } from './dumped-file.js'
import { capacityOf, OFFSET_ENTRY_BYTES, offsetEntryAt } from './index-entries.js'

/** Entries at the end that most lookups of a broker want, and that it searches first. */
const WARM_ENTRIES = 8192 / OFFSET_ENTRY_BYTES

/** Position of the last entry at or below `offset`; 0 where there is none. Zeros behind the last entry count as entries. */
export async function positionBefore(index: DumpedFile, baseOffset: bigint, offset: bigint): Promise<number> {
  const last = capacityOf(index, OFFSET_ENTRY_BYTES) - 1
  if (last < 0) return 0
  const entryAt = (at: number) => offsetEntryAt(index, baseOffset, at)
  const firstWarm = Math.max(0, last - WARM_ENTRIES)
  let [low, high] = [firstWarm, last]
  if ((await entryAt(firstWarm)).offset >= offset) {
    if ((await entryAt(0)).offset > offset) return 0
    ;[low, high] = [0, firstWarm]
  }
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const found = await entryAt(middle)
    if (found.offset === offset) return found.position
    if (found.offset > offset) high = middle - 1
    else low = middle
  }
  return (await entryAt(low)).position
}
