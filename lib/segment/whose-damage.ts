/**
 * Whose fault it is that no batch begins where one was looked for: the log's,
 * or that of the index that led there. Told apart by the batches before, which
 * either end where the index leads, or go beyond it.
 */

import type { LogFile, OffsetIndexFile } from '../backend/contract.js'
import type { PartitionLogError } from '../errors.js'
import * as layout from '../format/layout.js'
import { damagedBatch } from './batch-header.js'
import { astray } from './index-sanity.js'

/** Headers that are read to find out. One interval of an index has far fewer; beyond it the log is named. */
const HEADERS = 10_000

/**
 * The `ERR_CORRUPT` for what is wrong at `position` of `log`, where a reader came that the index had sent to
 * `indexedPosition` (0: nowhere). Blocks for an index interval of headers.
 */
export function damageAt(
  log: LogFile,
  index: OffsetIndexFile,
  found: { readonly position: number; readonly stop: string; readonly indexedPosition: number },
): PartitionLogError {
  const { position, stop, indexedPosition } = found
  return isSteppedOver(log, index, indexedPosition)
    ? astray(index, indexedPosition)
    : damagedBatch(log.path, position, stop)
}

/** The entry before can be as wrong: then the log's begin tells, where it is near enough. */
function isSteppedOver(log: LogFile, index: OffsetIndexFile, position: number): boolean {
  return stepsOver(log, entryBelow(index, position), position) || stepsOver(log, 0, position)
}

/** Whether the batches from `from` on go beyond `position` without one that begins there. */
function stepsOver(log: LogFile, from: number, position: number): boolean {
  let at = from
  for (let left = HEADERS; at < position && left > 0; left--) {
    const header = log.readBlocking(at, layout.HEADER_SIZE_UP_TO_MAGIC)
    if (header.length < layout.HEADER_SIZE_UP_TO_MAGIC) return false
    const length = header.readInt32BE(layout.LENGTH_AT)
    const magic = header.readInt8(layout.MAGIC_AT)
    if (length < layout.MIN_LENGTH || magic < 0 || magic > 2) return false
    at += layout.LOG_OVERHEAD + length
  }
  return at > position
}

/** The largest position in the index that is below `position`; 0 where there is none. */
function entryBelow(index: OffsetIndexFile, position: number): number {
  let [low, high] = [0, index.entries]
  while (low < high) {
    const middle = (low + high) >> 1
    if (index.entry(middle).position < position) low = middle + 1
    else high = middle
  }
  return low === 0 ? 0 : Math.max(0, index.entry(low - 1).position)
}
