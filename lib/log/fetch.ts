/**
 * Reading batches as they lie in the file. Bytes in the page cache are read
 * within the turn, others on a thread. A read takes a snapshot of the state;
 * if the bytes may have changed meanwhile (truncation, swap) it is done again.
 */

import type { SliceBounds } from '../backend/contract.js'
import { INT32_MAX, type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkObject } from '../base/options.js'
import { wrongType } from '../errors.js'
import type { BatchSource } from '../format/batch.js'
import type { BatchSlice } from '../segment/readable-segment.js'
import type { Segment } from '../segment/segment.js'
import type { LogCore } from './log-core.js'
import { floorSegment, type LogState, maxOffset, minOffset } from './log-state.js'
import { checkReadable, planRead, type ReadPlan } from './read-plan.js'
import { wholeBatches } from './whole-batches.js'

export type Isolation = 'uncommitted' | 'committed'

export interface FetchOptions {
  /** Bytes at most, but never less than one whole batch with `minOneBatch`; default 1 MiB. */
  readonly maxBytes?: number
  /** Default true. */
  readonly minOneBatch?: boolean
  readonly isolation?: Isolation
  /** Stop below the durable offset. */
  readonly durable?: boolean
  readonly signal?: AbortSignal
}

export interface FetchResult {
  /** Whole batches, back to back; the caller's. The first may begin below the offset asked for. */
  readonly batches: Buffer
  /** Where the next fetch goes on. */
  readonly nextOffset: bigint
  /** Aborted transactions among the batches; empty unless `isolation` is `committed`. */
  readonly abortedTransactions: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[]
  readonly logStartOffset: bigint
  readonly highWatermark: bigint
  readonly lastStableOffset: bigint
  /** Where the bytes lie; null where there are none. */
  readonly source: BatchSource | null
}

const DEFAULT_MAX_BYTES = 1 << 20

/** Off the event loop where the bytes are not cached. */
export async function fetch(
  core: LogCore,
  from: Int64Input,
  options: FetchOptions = {},
): Promise<FetchResult> {
  let step = beginFetch(core, from, options)
  for (;;) {
    options.signal?.throwIfAborted()
    core.assertUsable()
    if (step.plan === null) return empty(core, step)
    const slice = await readSlice(core, step, step.plan, options)
    if (slice === 'outdated') step = beginFetch(core, step.offset, options)
    else if (slice !== null) return result(core, step, slice, options)
    else step = nextSegment(step)
  }
}

/** `outdated` where a truncation or swap came between: what was read, or failed, says nothing then. */
async function readSlice(
  core: LogCore,
  step: FetchStep,
  { segment, target }: ReadPlan,
  options: FetchOptions,
): Promise<BatchSlice | null | 'outdated'> {
  const { beside } = core
  const isOutdated = () => core.state.generation !== step.state.generation
  // Retention took the segment before its bytes were asked for.
  const isGone = () => isOutdated() || !core.state.segments.includes(segment)
  try {
    const { openings } = segment
    const bounds = boundsOf(step, options)
    const cached = segment.sliceIfCached(target, bounds)
    const slice = cached === undefined ? await segment.slice(core.env.readLane, target, bounds) : cached
    if (isOutdated()) return 'outdated'
    return beside === null || (await beside.confirms(segment, openings)) ? slice : 'outdated'
  } catch (error) {
    core.assertUsable()
    if (isGone()) return 'outdated'
    // Another process may have taken the files, and nobody has looked since.
    await beside?.settle()
    if (isGone()) return 'outdated'
    throw error
  }
}

/** The same on the caller's turn; may block on a cold disk. */
export function fetchSync(core: LogCore, from: Int64Input, options: FetchOptions = {}): FetchResult {
  let step = beginFetch(core, from, options)
  for (;;) {
    if (step.plan === null) return empty(core, step)
    const slice = step.plan.segment.sliceBlocking(step.plan.target, boundsOf(step, options))
    if (slice !== null) return result(core, step, slice, options)
    step = nextSegment(step)
  }
}

interface FetchStep {
  readonly state: LogState
  readonly offset: bigint
  readonly upperBound: bigint
  /** All bytes of the active segment lie below the log's end. */
  readonly endsWithFile: boolean
  readonly plan: ReadPlan | null
}

function beginFetch(core: LogCore, from: Int64Input, options: FetchOptions): FetchStep {
  core.assertUsable()
  checkFetchOptions(options)
  const { state } = core
  const offset = toInt64('offset', from)
  checkReadable(core.env.name, offset, state)
  const upperBound = readableEnd(state, options)
  const plan = planRead(state, offset, upperBound)
  return { state, offset, upperBound, endsWithFile: !core.isTruncating, plan }
}

/** Throws TypeError or RangeError for options that cannot be served. */
export function checkFetchOptions(options: FetchOptions): void {
  checkObject('options', options)
  const { maxBytes, isolation, signal } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw wrongType('signal', 'an AbortSignal', signal)
  if (maxBytes !== undefined) toInteger('maxBytes', maxBytes, 0, INT32_MAX)
  if (isolation !== undefined && isolation !== 'uncommitted' && isolation !== 'committed') {
    throw wrongType('isolation', "'uncommitted' or 'committed'", isolation)
  }
}

/** The first offset that a reader may not see. */
export function readableEnd(state: LogState, options: Pick<FetchOptions, 'durable' | 'isolation'>): bigint {
  const end = options.isolation === 'committed' ? state.lastStableOffset : state.highWatermark
  return options.durable === true ? minOffset(end, state.durableOffset) : end
}

/** The segment has a gap at its end (compaction leaves them): go on with the next. */
function nextSegment(step: FetchStep): FetchStep {
  const next = step.plan?.nextBaseOffset ?? null
  if (next === null) return { ...step, plan: null }
  return { ...step, plan: planRead(step.state, next, step.upperBound) }
}

function boundsOf(
  step: FetchStep,
  { maxBytes = DEFAULT_MAX_BYTES, minOneBatch = true }: FetchOptions,
): SliceBounds {
  const { segment } = step.plan as ReadPlan
  return { fromPosition: 0, endPosition: endPositionOf(step, segment), maxBytes, minOneBatch }
}

/** Bytes of the segment that hold offsets below the upper bound. */
function endPositionOf({ state, upperBound, endsWithFile }: FetchStep, segment: Segment): number {
  if (endsWithFile && upperBound === state.logEndOffset) return segment.sizeInBytes
  const holder = state.segments[floorSegment(state.segments, upperBound)]
  if (holder !== segment) return segment.sizeInBytes
  const { batch } = segment.translate(Number(upperBound - segment.baseOffset))
  return batch?.position ?? segment.sizeInBytes
}

function empty({ counters }: LogCore, step: FetchStep): FetchResult {
  counters.fetched(0)
  // Nothing readable lies between the offset and the bound: a reader may go on there.
  const nextOffset = maxOffset(step.offset, step.upperBound)
  return resultOf(step.state, Buffer.alloc(0), nextOffset, [], null)
}

function result(
  core: LogCore,
  step: FetchStep,
  { position, bytes }: BatchSlice,
  options: FetchOptions,
): FetchResult {
  const { segment, nextBaseOffset } = step.plan as ReadPlan
  const source = { path: segment.logPath, position }
  const whole = wholeBatches(bytes, source, nextBaseOffset ?? step.state.logEndOffset)
  core.counters.fetched(whole.length)
  const nextOffset = whole.length === 0 ? step.offset : whole.lastOffset + 1n
  const batches = whole.length === bytes.length ? bytes : bytes.subarray(0, whole.length)
  return resultOf(step.state, batches, nextOffset, abortedIn(core, step, nextOffset, options), source)
}

const NONE_ABORTED: FetchResult['abortedTransactions'] = Object.freeze([])

/** Those with records from the offset asked for up to `nextOffset`; of no bytes none. */
function abortedIn(core: LogCore, step: FetchStep, nextOffset: bigint, { isolation }: FetchOptions) {
  if (isolation !== 'committed' || nextOffset === step.offset) return NONE_ABORTED
  const { segments } = step.state
  const first = segments.indexOf((step.plan as ReadPlan).segment)
  return core.producers.aborted
    .within(segments.slice(first), step.offset, nextOffset)
    .map(({ producerId, firstOffset }) => ({ producerId, firstOffset }))
}

/** Property by property: spreading objects into one costs more than the read. */
function resultOf(
  { logStartOffset, highWatermark, lastStableOffset }: LogState,
  batches: Buffer,
  nextOffset: bigint,
  abortedTransactions: FetchResult['abortedTransactions'],
  source: BatchSource | null,
): FetchResult {
  return {
    batches,
    nextOffset,
    abortedTransactions,
    logStartOffset,
    highWatermark,
    lastStableOffset,
    source,
  }
}
