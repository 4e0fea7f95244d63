/**
 * Decides which segments are cleaned into one. Pure; follows Kafka's
 * `groupSegmentsBySize`: neighbours are joined as long as a segment can hold
 * them even if nothing of them goes. An empty segment has no offsets to span,
 * so empty ones never stay apart because of where they lie.
 */

import { INT32_MAX } from '../base/int64.js'
import type { SegmentToClean } from './clean-job.js'

export interface GroupBounds {
  /** The log's `segment.bytes`. */
  readonly segmentBytes: number
  /** The log's `segment.index.bytes`, for each of the two indexes. */
  readonly segmentIndexBytes: number
  /** Where the segments end that are cleaned at all; above the last offset of each of them. */
  readonly firstUncleanableOffset: bigint
}

/** Groups of neighbours, in order; together they are `segments`. */
export function groupSegmentsBySize(
  segments: readonly SegmentToClean[],
  bounds: GroupBounds,
): SegmentToClean[][] {
  const groups: SegmentToClean[][] = []
  let open: OpenGroup | undefined
  for (const [at, segment] of segments.entries()) {
    // The next base offset is known without reading, and never below what the segment holds.
    const nextOffset = segments[at + 1]?.baseOffset ?? bounds.firstUncleanableOffset
    if (open === undefined || !hasRoom(open, segment, nextOffset, bounds)) {
      open = { segments: [], sizeInBytes: 0, indexBytes: 0, timeIndexBytes: 0 }
      groups.push(open.segments)
    }
    add(open, segment)
  }
  return groups
}

interface OpenGroup {
  readonly segments: SegmentToClean[]
  sizeInBytes: number
  indexBytes: number
  timeIndexBytes: number
}

function hasRoom(
  group: OpenGroup,
  segment: SegmentToClean,
  nextOffset: bigint,
  { segmentBytes, segmentIndexBytes }: GroupBounds,
): boolean {
  if (group.sizeInBytes + segment.sizeInBytes > segmentBytes) return false
  if (group.indexBytes + segment.indexBytes > segmentIndexBytes) return false
  if (group.timeIndexBytes + segment.timeIndexBytes > segmentIndexBytes) return false
  const first = group.segments[0] as SegmentToClean
  return segment.sizeInBytes === 0 || nextOffset - 1n - first.baseOffset <= BigInt(INT32_MAX)
}

function add(group: OpenGroup, segment: SegmentToClean): void {
  group.segments.push(segment)
  group.sizeInBytes += segment.sizeInBytes
  group.indexBytes += segment.indexBytes
  group.timeIndexBytes += segment.timeIndexBytes
}
