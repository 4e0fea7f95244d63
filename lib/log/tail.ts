/**
 * The end of a segment, found by reading: where its last batch ends, and the
 * largest timestamp behind its last index entry.
 */

import type { BatchScan, Lane } from '../backend/contract.js'
import { NO_TIMESTAMP } from '../format/layout.js'
import { damagedBatch } from '../segment/batch-header.js'
import type { TimestampOffset } from '../segment/index-plan.js'
import type { Segment } from '../segment/segment.js'

export interface SegmentTail {
  /** Offset behind the last batch; the base offset of an empty segment. */
  readonly nextOffset: bigint
  /** Among the batches from the last index entry on; timestamp -1 where none has one. */
  readonly maxTimestamp: TimestampOffset
}

const BATCHES_PER_SCAN = 4096

/**
 * Scans from the last offset index entry to the end, checksums included.
 * Throws `ERR_CORRUPT` where the bytes there are not whole, sound batches.
 */
export async function readTail(lane: Lane, segment: Segment): Promise<SegmentTail> {
  const { log, offsetIndex } = segment.files()
  let nextOffset = segment.baseOffset
  let maxTimestamp: TimestampOffset = { timestamp: NO_TIMESTAMP, offset: segment.baseOffset }
  let fromPosition = offsetIndex.entries === 0 ? 0 : offsetIndex.entry(offsetIndex.entries - 1).position
  for (;;) {
    const endPosition = log.sizeInBytes
    const scan = await lane.scan(log, {
      fromPosition,
      endPosition,
      maxBatches: BATCHES_PER_SCAN,
      checkCrc: true,
    })
    const { count, lastOffsets, maxTimestamps } = scan.batches
    for (let row = 0; row < count; row++) {
      const timestamp = maxTimestamps[row] as bigint
      const offset = lastOffsets[row] as bigint
      if (timestamp > maxTimestamp.timestamp) maxTimestamp = { timestamp, offset }
      nextOffset = offset + 1n
    }
    fromPosition = scan.endPosition
    if (scan.stop === 'end') return { nextOffset, maxTimestamp }
    if (scan.stop !== 'limit') throw damagedTail(log.path, scan)
  }
}

function damagedTail(path: string, scan: BatchScan) {
  return damagedBatch(path, scan.endPosition, scan.stop)
}
