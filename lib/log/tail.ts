/**
 * The end of a segment, found by reading: where its last batch ends, and the
 * largest timestamp behind its last index entry.
 */

import type { BatchScan, Lane, ScanStop } from '../backend/contract.js'
import { NO_TIMESTAMP } from '../format/layout.js'
import { damagedBatch } from '../segment/batch-header.js'
import type { TimestampOffset } from '../segment/index-plan.js'
import type { Segment } from '../segment/segment.js'

/** The last batch of a tail: a cut, or other batches in its place, show beside it. */
export interface LastBatch {
  readonly position: number
  readonly sizeInBytes: number
  readonly baseOffset: bigint
  readonly crc: number
}

export interface SegmentTail {
  /** Offset behind the last batch; the base offset of an empty segment. */
  readonly nextOffset: bigint
  /** Among the batches from the last index entry on; timestamp -1 where none has one. */
  readonly maxTimestamp: TimestampOffset
  /** First byte behind the last whole, sound batch. */
  readonly endPosition: number
  /** Null where no batch was read. */
  readonly last: LastBatch | null
}

const BATCHES_PER_SCAN = 4096

/** The tail of a segment without records. */
export function emptyTail(baseOffset: bigint): SegmentTail {
  return {
    nextOffset: baseOffset,
    maxTimestamp: { timestamp: NO_TIMESTAMP, offset: baseOffset },
    endPosition: 0,
    last: null,
  }
}

/**
 * Scans from the last offset index entry to the end, checksums included.
 * Throws `ERR_CORRUPT` where the bytes there are not whole, sound batches.
 */
export async function readTail(lane: Lane, segment: Segment): Promise<SegmentTail> {
  const { tail, stop } = await scanTail(lane, segment, segment.lastIndexedPosition())
  if (stop === 'end') return tail
  throw damagedBatch(segment.logPath, tail.endPosition, stop)
}

/**
 * The same for a log that another process may be writing, or has not closed
 * cleanly: its end is where the last whole, sound batch ends.
 */
export async function readTailAsFound(lane: Lane, segment: Segment): Promise<SegmentTail> {
  const fromPosition = segment.lastIndexedPosition()
  const { tail, stop } = await scanTail(lane, segment, fromPosition)
  // After an unclean stop the index can point behind what reached the disk.
  const indexIsAhead = stop !== 'end' && fromPosition > 0 && tail.endPosition === fromPosition
  return indexIsAhead ? (await scanTail(lane, segment, 0)).tail : tail
}

/**
 * The tail as it is now, where it was `known` before. Undefined where the last batch is not there any more as it was:
 * then others may lie before it too.
 */
export async function readTailOn(
  lane: Lane,
  segment: Segment,
  known: SegmentTail,
): Promise<SegmentTail | undefined> {
  if (known.last === null) return (await scanTail(lane, segment, 0)).tail
  const { position, sizeInBytes, baseOffset, crc } = known.last
  const { batches, stop } = await segment.scan(lane, {
    fromPosition: position,
    endPosition: Number.MAX_SAFE_INTEGER,
    maxBatches: 1,
    checkCrc: true,
  })
  const isThere =
    batches.count === 1 &&
    batches.sizes[0] === sizeInBytes &&
    batches.baseOffsets[0] === baseOffset &&
    batches.crcs[0] === crc
  if (!isThere) return undefined
  return stop === 'limit' ? (await scanOn(lane, segment, known)).tail : known
}

function scanTail(lane: Lane, segment: Segment, fromPosition: number) {
  return scanOn(lane, segment, { ...emptyTail(segment.baseOffset), endPosition: fromPosition })
}

async function scanOn(
  lane: Lane,
  segment: Segment,
  from: SegmentTail,
): Promise<{ tail: SegmentTail; stop: ScanStop }> {
  let tail = from
  for (;;) {
    const scan = await segment.scan(lane, {
      fromPosition: tail.endPosition,
      endPosition: Number.MAX_SAFE_INTEGER,
      maxBatches: BATCHES_PER_SCAN,
      checkCrc: true,
    })
    tail = extended(tail, scan)
    if (scan.stop !== 'limit') return { tail, stop: scan.stop }
  }
}

function extended(before: SegmentTail, { batches, endPosition }: BatchScan): SegmentTail {
  let { nextOffset, maxTimestamp, last } = before
  for (let row = 0; row < batches.count; row++) {
    const timestamp = batches.maxTimestamps[row] as bigint
    const offset = batches.lastOffsets[row] as bigint
    if (timestamp > maxTimestamp.timestamp) maxTimestamp = { timestamp, offset }
    nextOffset = offset + 1n
    last = {
      position: batches.positions[row] as number,
      sizeInBytes: batches.sizes[row] as number,
      baseOffset: batches.baseOffsets[row] as bigint,
      crc: batches.crcs[row] as number,
    }
  }
  return { nextOffset, maxTimestamp, endPosition, last }
}
