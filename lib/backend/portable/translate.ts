/**
 * From an offset to a batch: the index says where to begin, the headers from
 * there on say which batch it is.
 */

import type { BatchPlace, OffsetIndexEntry, Translation } from '../contract.js'
import { HEADER_BYTES, isInOrder, placeOf, shapeFault } from './batch-header.js'
import type { LogView } from './views.js'
import { Window } from './window.js'

/** About two index intervals, so that one read finds most batches. */
const READ_BYTES = 8192

// Searches are synchronous and do not nest, so one buffer a thread is enough.
const scratch = Buffer.allocUnsafeSlow(READ_BYTES)

const NO_ENTRY: OffsetIndexEntry = { relativeOffset: 0, position: 0 }

/**
 * The first batch whose last offset is at least `target` (relative), searched
 * from the entry's position or `fromPosition`, whichever is later. An entry
 * that points outside the log is no help and taken as none.
 */
export function translate(
  log: LogView,
  entry: OffsetIndexEntry | null,
  target: number,
  fromPosition: number,
): Translation {
  const indexEntry = entry ?? NO_ENTRY
  const isInside = indexEntry.position >= 0 && indexEntry.position <= log.sizeInBytes
  const start = Math.max(isInside ? indexEntry.position : 0, fromPosition)
  return { indexEntry, ...findBatch(log, log.baseOffset + BigInt(target), start) }
}

function findBatch(log: LogView, target: bigint, start: number): Omit<Translation, 'indexEntry'> {
  const window = new Window(log, log.sizeInBytes, scratch)
  let position = Math.min(start, log.sizeInBytes)
  let previous: BatchPlace | undefined
  for (;;) {
    if (window.isEnd(position)) return { batch: null, stop: 'end', position }
    const at = window.at(position, HEADER_BYTES)
    const stop = shapeFault(window.bytes, at, window.end - position)
    if (stop !== undefined) return { batch: null, stop, position }
    const batch = placeOf(window.bytes, at, position)
    if (!isInOrder(batch, log.baseOffset, previous?.lastOffset))
      return { batch: null, stop: 'offset-order', position }
    if (batch.lastOffset >= target) return { batch, stop: 'found', position }
    previous = batch
    position += batch.sizeInBytes
  }
}
