/**
 * From a time to an offset. Follows Kafka's fetchOffsetByTimestamp: the first
 * segment whose largest timestamp reaches the target, its time index, its
 * offset index, then batch headers, then the records of the batch found. Where
 * that record is not for readers (a marker, or below the log's start) it goes on.
 */

import { Jsonable } from '../base/jsonable.js'
import { recordBatches } from '../format/batches.js'
import type { Segment } from '../segment/segment.js'
import type { LogCore } from './log-core.js'
import type { LogState } from './log-state.js'

export interface OffsetAndTimestamp {
  readonly offset: bigint
  readonly timestamp: bigint
}

/** Segments asked for their largest timestamp before the event loop gets a turn. */
const SEGMENTS_PER_TURN = 16
/** Segments whose known largest timestamps are compared without giving the event loop a turn. */
const SEGMENTS_AT_ONCE = 4096
const BATCHES_PER_SCAN = 16_384

/** The first record, by offset, with a timestamp at or above `target`; null where there is none. */
export async function offsetForTimestamp(core: LogCore, target: bigint): Promise<OffsetAndTimestamp | null> {
  return foundAtOnce(core, target) ?? onOneState(core, (state) => searchSegments(core, state, target))
}

/** The first record with the log's largest timestamp; null in a log without timestamps. */
export function offsetForMaxTimestamp(core: LogCore): Promise<OffsetAndTimestamp | null> {
  return onOneState(core, (state) => searchLargest(core, state))
}

/** Within this turn, where the largest timestamps are known and the bytes are cached. Undefined says nothing. */
function foundAtOnce(core: LogCore, target: bigint): OffsetAndTimestamp | undefined {
  const { state, beside, condition } = core
  const timestamp = Number(target)
  if (condition !== 'open' || beside !== null || !Number.isSafeInteger(timestamp)) return undefined
  const segment = firstReaching(state, target)
  if (segment === undefined || state.highWatermark <= segment.baseOffset) return undefined
  const found = segment.findTimeIfCached({
    timestamp,
    firstOffset: startWithin(segment, state.logStartOffset),
    endOffset: Number(state.highWatermark - segment.baseOffset),
    endPosition: segment.sizeInBytes,
  })
  return found && new Found(found.offset, found.timestamp)
}

/** The segment that a search begins in, if it is among the first and all before it are known to be too old. */
function firstReaching({ segments, logStartOffset }: LogState, target: bigint): Segment | undefined {
  for (let n = 0; n < segments.length && n < SEGMENTS_AT_ONCE; n++) {
    const segment = segments[n] as Segment
    const next = segments[n + 1]
    if (next !== undefined && next.baseOffset <= logStartOffset) continue
    const largest = segment.knownMaxTimestamp
    if (largest === undefined) return undefined
    if (largest >= target) return segment
  }
  return undefined
}

async function onOneState<T>(core: LogCore, search: (state: LogState) => Promise<T>): Promise<T> {
  for (;;) {
    core.assertUsable()
    const { state } = core
    const { generation, logStartOffset } = state
    const holds = () => core.state.generation === generation && core.state.logStartOffset === logStartOffset
    try {
      const found = await search(state)
      if (holds()) return found
    } catch (error) {
      // What was searched may have been cut or deleted meanwhile: then it is searched anew.
      if (holds()) throw error
    }
  }
}

/** A segment's largest timestamp can be that of a marker, or of a record that is gone: then the next one may have it. */
async function searchSegments(
  core: LogCore,
  state: LogState,
  target: bigint,
): Promise<OffsetAndTimestamp | null> {
  for await (const segment of readableSegments(core, state)) {
    if (segment.maxTimestamp().timestamp < target) continue
    const found = await searchSegment(core, state, segment, target)
    if (found !== null) return found
  }
  return null
}

async function searchLargest(core: LogCore, state: LogState): Promise<OffsetAndTimestamp | null> {
  let best: OffsetAndTimestamp | null = null
  for await (const segment of readableSegments(core, state)) {
    const { timestamp } = segment.maxTimestamp()
    if (timestamp <= (best?.timestamp ?? -1n)) continue
    // Where the segment's largest is not for readers, what lies between it and the best is found step by step.
    let found = await searchSegment(core, state, segment, timestamp)
    if (found !== null) best = found
    else {
      do {
        best = found ?? best
        found = await searchSegment(core, state, segment, (best?.timestamp ?? -1n) + 1n)
      } while (found !== null)
    }
  }
  return best
}

/** Segments that hold records from the log's start on; opens their indexes a few at a time. */
async function* readableSegments(core: LogCore, state: LogState): AsyncGenerator<Segment> {
  const { segments, logStartOffset } = state
  for (const [index, segment] of segments.entries()) {
    core.assertUsable()
    const next = segments[index + 1]
    if (next !== undefined && next.baseOffset <= logStartOffset) continue
    if (index % SEGMENTS_PER_TURN === SEGMENTS_PER_TURN - 1) {
      await new Promise<void>((resolve) => core.env.clock.soon(resolve))
    }
    if (segment.sizeInBytes > 0) yield segment
  }
}

async function searchSegment(
  core: LogCore,
  state: LogState,
  segment: Segment,
  target: bigint,
): Promise<OffsetAndTimestamp | null> {
  const start = startPosition(segment, target, state.logStartOffset)
  let fromPosition = start
  for (;;) {
    core.assertUsable()
    const { batches, endPosition, stop } = await segment.scan(core.env.readLane, {
      fromPosition,
      endPosition: segment.sizeInBytes,
      maxBatches: BATCHES_PER_SCAN,
      checkCrc: false,
      untilTimestamp: target,
    })
    fromPosition = endPosition
    if (batches.count > 0) {
      const place = { position: batches.positions[0] as number, sizeInBytes: batches.sizes[0] as number }
      const found = await searchBatch(core, state, segment, place, target)
      if (found !== null) return found
    } else if (stop === 'end') return null
    else if (stop !== 'limit') throw segment.damageAt(endPosition, stop, start)
  }
}

function startPosition(segment: Segment, target: bigint, logStartOffset: bigint): number {
  return segment.positionBefore(target, startWithin(segment, logStartOffset))
}

/** The log's start, relative to the segment; 0 where it lies before. */
function startWithin({ baseOffset }: Segment, logStartOffset: bigint): number {
  return logStartOffset <= baseOffset ? 0 : Number(logStartOffset - baseOffset)
}

/** A header's largest timestamp can outlive the record that had it: then there is none here. */
async function searchBatch(
  core: LogCore,
  state: LogState,
  segment: Segment,
  { position, sizeInBytes }: { position: number; sizeInBytes: number },
  target: bigint,
): Promise<OffsetAndTimestamp | null> {
  core.assertUsable()
  const bytes = await segment.read(core.env.readLane, position, sizeInBytes)
  const [batch] = recordBatches(bytes, { ...core.env.limits, source: { path: segment.logPath, position } })
  // As in Kafka a marker may be what has the time.
  if (batch === undefined) return null
  if (batch.codec !== 'none') {
    await core.env.loadCodec(batch.codec)
    await batch.load()
  }
  for (const { offset, timestamp } of batch.records()) {
    if (offset >= state.highWatermark) return null
    if (timestamp >= target && offset >= state.logStartOffset) return new Found(offset, timestamp)
  }
  return null
}

/** Printed as JSON its numbers are text. */
class Found extends Jsonable implements OffsetAndTimestamp {
  readonly offset: bigint
  readonly timestamp: bigint

  constructor(offset: bigint, timestamp: bigint) {
    super()
    this.offset = offset
    this.timestamp = timestamp
  }
}
