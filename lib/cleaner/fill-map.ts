/**
 * The first pass: puts the keys of the dirty section into the map, each with
 * its last offset. Follows Kafka's `buildOffsetMap`.
 *
 * Where the map is full the pass ends in the middle of a segment, and the
 * cleaning reaches as far as the map does. The batches of aborted transactions
 * and markers are passed over. Offsets that no record has any more count as
 * read, so that each cleaning comes further than the one before.
 */

import { SLOT_BYTES } from '../backend/record-kernel.js'
import { INT32_MAX } from '../base/int64.js'
import { ConfigError } from '../errors.js'
import * as layout from '../format/layout.js'
import { maxOffset } from '../log/log-state.js'
import { Segment } from '../segment/segment.js'
import { abortedWithin } from './aborted-within.js'
import type { CleanJob, SegmentToClean } from './clean-job.js'
import { type CleanRun, inputPlace, PassProgress, readChunks } from './clean-run.js'
import { hasAttribute, observeBatch } from './observe-batch.js'
import { TransactionFilter } from './transaction-filter.js'

/** Keys that a map may hold. `ERR_CONFIG_INVALID` where that is none, since no cleaning would ever come further. */
export function mapLimit(slots: number, loadFactor: number): number {
  const limit = Math.min(Math.floor(slots * loadFactor), slots - 1)
  if (limit >= 1) return limit
  const message = `a map of ${slots} slots with load factor ${loadFactor} holds no key: give log.cleaner.dedupe.buffer.size more room`
  throw new ConfigError('ERR_CONFIG_INVALID', message)
}

/** What the map is to take: as much as is allowed, but no more than the dirty section can fill; its offsets bound its keys. */
export function mapMemory(
  job: Pick<CleanJob, 'firstDirtyOffset' | 'firstUncleanableOffset' | 'settings'>,
): number {
  const { mapBytes, loadFactor } = job.settings
  const offsets = Number(maxOffset(job.firstUncleanableOffset - job.firstDirtyOffset, 0n))
  const needed = (Math.ceil(offsets / loadFactor) + 2) * SLOT_BYTES
  // A load factor of 0 leaves no key room, whatever the memory.
  return needed < mapBytes ? needed : mapBytes
}

/** Segments that hold something of the dirty section. */
export function dirtySegments(
  segments: readonly SegmentToClean[],
  firstDirtyOffset: bigint,
): readonly SegmentToClean[] {
  return segments.slice(
    Math.max(
      0,
      segments.findLastIndex(({ baseOffset }) => baseOffset <= firstDirtyOffset),
    ),
  )
}

/** Fills the map; gives the last offset that it speaks for: no record above is to be touched. */
export async function fillMap(run: CleanRun): Promise<bigint> {
  const { segments, firstDirtyOffset, firstUncleanableOffset } = run.job
  if (firstDirtyOffset >= firstUncleanableOffset) return firstDirtyOffset - 1n
  const dirty = dirtySegments(segments, firstDirtyOffset)
  const filler = new MapFiller(run, new PassProgress(run.steps, 'map', dirty))
  for (const [at, segment] of dirty.entries()) {
    const nextOffset = dirty[at + 1]?.baseOffset ?? firstUncleanableOffset
    if (!(await filler.take(segment, nextOffset))) break
  }
  return filler.latestOffset
}

class MapFiller {
  latestOffset: bigint
  readonly #run: CleanRun
  readonly #progress: PassProgress
  readonly #filter = new TransactionFilter()
  readonly #from: bigint
  readonly #limit: number
  /** Batches whose records are rows that wait to be put: their places in the chunk, and their first rows. */
  readonly #waiting: Int32Array
  readonly #firstRows: Int32Array
  #waitingCount = 0

  constructor(run: CleanRun, progress: PassProgress) {
    const { job, map, chunks } = run
    this.#run = run
    this.#progress = progress
    this.#from = job.firstDirtyOffset
    this.latestOffset = this.#from - 1n
    this.#limit = mapLimit(map.slots, job.settings.loadFactor)
    this.#waiting = new Int32Array(chunks.starts.length)
    this.#firstRows = new Int32Array(chunks.starts.length)
    this.#filter.add(abortedWithin(job, this.#from, job.firstUncleanableOffset))
  }

  /** False where the map is full. */
  async take(segment: SegmentToClean, nextOffset: bigint): Promise<boolean> {
    const fromPosition = await this.#firstPosition(segment)
    this.#progress.advance(fromPosition)
    const isTaken = await readChunks(this.#run, segment, fromPosition, () => this.#takeChunk())
    // Where offsets are missing at a segment's end there is nothing that could reach them.
    if (isTaken) this.#reach(nextOffset - 1n)
    return isTaken
  }

  async #firstPosition({ baseOffset, sizeInBytes, modifiedMs }: SegmentToClean): Promise<number> {
    if (this.#from <= baseOffset || sizeInBytes === 0) return 0
    const { openSegments } = this.#run
    const place = inputPlace(this.#run)
    const options = { place, openSegments, baseOffset, indexIntervalBytes: 0, createdMs: 0, rollJitterMs: 0 }
    const segment = Segment.existing(options, { sizeInBytes, modifiedMs })
    try {
      const target = Math.min(Number(this.#from - baseOffset), INT32_MAX)
      return segment.translate(target).batch?.position ?? sizeInBytes
    } finally {
      await segment.retire()
    }
  }

  #takeChunk(): boolean {
    const { chunks, counts } = this.#run
    for (let index = 0; index < chunks.count; index++) if (!this.#takeBatch(index)) return false
    if (!this.#put(chunks.bytes)) return false
    this.#reach(chunks.lastOffsetOf(chunks.count - 1))
    counts.mapBytesRead += chunks.sizeInBytes
    this.#progress.advance(chunks.sizeInBytes)
    return true
  }

  #takeBatch(index: number): boolean {
    const { chunks, records, counts, job } = this.#run
    const isSkipped =
      observeBatch(this.#filter, chunks, index, job.settings.maxDecompressedBytes) ||
      hasAttribute(chunks, index, layout.CONTROL_BIT)
    const isOpen = records.isPlain(index)
    const count = isOpen || isSkipped || records.isCurrent(index) ? records.countOf(index) : 1
    if (isSkipped || count === 0) {
      counts.mapRecordsRead += count
      return true
    }
    if (!isOpen) return this.#takeCompressed(index)
    if (!records.rows.hasRoom(count)) {
      if (!this.#put(chunks.bytes)) return false
      records.makeRoom(index, count)
    }
    this.#wait(index)
    records.add(index)
    return true
  }

  #takeCompressed(index: number): boolean {
    const { chunks, records } = this.#run
    if (!this.#put(chunks.bytes)) return false
    const { bytes } = records.open(index)
    this.#waitAt(index, 0)
    return this.#put(bytes)
  }

  #wait(index: number): void {
    this.#waitAt(index, this.#run.records.rows.count)
  }

  #waitAt(index: number, firstRow: number): void {
    this.#waiting[this.#waitingCount] = index
    this.#firstRows[this.#waitingCount] = firstRow
    this.#waitingCount++
  }

  /** Puts all rows, whose bytes are `bytes`. */
  #put(bytes: Uint8Array): boolean {
    const { map, records, counts } = this.#run
    const { rows } = records
    if (rows.count === 0) return true
    const taken = map.put(bytes, rows.columns, { from: 0, count: rows.count }, this.#from, this.#limit)
    counts.mapRecordsRead += taken
    const isTaken = taken === rows.count
    if (!isTaken) this.#stopAt(taken)
    rows.clear()
    this.#waitingCount = 0
    return isTaken
  }

  /** The map is full: row `stopper` was not taken any more. */
  #stopAt(stopper: number): void {
    const { chunks, records, counts } = this.#run
    let waiting = this.#waitingCount - 1
    while ((this.#firstRows[waiting] as number) > stopper) waiting--
    const index = this.#waiting[waiting] as number
    if (index > 0) this.#reach(chunks.lastOffsetOf(index - 1))
    const { offsets, keySizes } = records.rows.columns
    let row = stopper - 1
    while (row >= (this.#firstRows[waiting] as number) && (keySizes[row] as number) < 0) row--
    if (row >= (this.#firstRows[waiting] as number)) this.#reach(offsets[row] as bigint)
    counts.mapBytesRead += chunks.starts[index] as number
  }

  #reach(offset: bigint): void {
    if (offset > this.latestOffset) this.latestOffset = offset
  }
}
