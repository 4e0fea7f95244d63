/**
 * Looking things up in a segment and reading from it. Nothing here changes a
 * file or decides where a reader may go; what a backend answers is checked
 * before it is believed.
 */

import type {
  BatchScan,
  FoundRecord,
  Lane,
  ScanOptions,
  Slice,
  SliceBounds,
  TimeQuery,
  Translation,
} from '../backend/contract.js'
import { INT32_MAX } from '../base/int64.js'
import type { PartitionLogError } from '../errors.js'
import * as layout from '../format/layout.js'
import type { LazyFiles } from './lazy-files.js'
import { isRecent, type RecentBatch, RecentBatches } from './recent-batches.js'
import type { SegmentHandles } from './segment-files.js'
import { checkTranslation } from './translation-check.js'
import { damageAt } from './whose-damage.js'

/** Whole batches from one on, and perhaps a part of another. */
export interface BatchSlice {
  readonly position: number
  readonly bytes: Buffer
}

export abstract class ReadableSegment {
  readonly baseOffset: bigint
  protected readonly files: LazyFiles
  /** Bytes of the `.log` that count. */
  protected size: number
  /** @internal */
  readonly recent = new RecentBatches()
  /** NaN where a number does not hold it. */
  readonly #exactBaseOffset: number

  constructor(baseOffset: bigint, files: LazyFiles, sizeInBytes: number) {
    this.baseOffset = baseOffset
    this.#exactBaseOffset = Number.isSafeInteger(Number(baseOffset)) ? Number(baseOffset) : Number.NaN
    this.files = files
    this.size = sizeInBytes
  }

  get sizeInBytes(): number {
    return this.size
  }

  /** Its `.log`, for errors; opens nothing. */
  get logPath(): string {
    return this.files.logPath
  }

  /** Index answer and batch for a relative offset. Throws `ERR_CORRUPT` where a header cannot be one. */
  translate(target: number): Translation {
    const files = this.files.get()
    const recent = this.recent.find(target, this.size)
    if (recent !== undefined) return this.#remembered(recent, files, target)
    return this.#checked(files.log.translate(files.offsetIndex, within(target)), files, target)
  }

  /** Null where nothing lies at or behind the target, undefined where the bytes would have to be waited for. */
  sliceIfCached(target: number, bounds: SliceBounds): BatchSlice | null | undefined {
    const files = this.files.get()
    const remembered = this.#readRecent(target, bounds, (at, length) => files.log.readIfCached(at, length))
    if (remembered !== undefined) return remembered
    const slice = files.log.sliceIfCached(files.offsetIndex, within(target), bounds)
    return slice && this.#checkedSlice(slice, files, target)
  }

  sliceBlocking(target: number, bounds: SliceBounds): BatchSlice | null {
    const files = this.files.get()
    const remembered = this.#readRecent(target, bounds, (at, length) => files.log.readBlocking(at, length))
    if (remembered !== undefined) return remembered
    const slice = files.log.sliceBlocking(files.offsetIndex, within(target), bounds)
    return this.#checkedSlice(slice, files, target)
  }

  slice(lane: Lane, target: number, bounds: SliceBounds): Promise<BatchSlice | null> {
    return this.files.during('reads', async (files) => {
      const slice = await lane.slice(files.log, files.offsetIndex, within(target), bounds)
      return this.#checkedSlice(slice, files, target)
    })
  }

  /** As `LogFile.findTimeIfCached`. */
  findTimeIfCached(query: TimeQuery): FoundRecord | undefined {
    const { log, offsetIndex, timeIndex } = this.files.get()
    return log.findTimeIfCached(offsetIndex, timeIndex, query)
  }

  /** As `Lane.scan`. */
  scan(lane: Lane, options: ScanOptions): Promise<BatchScan> {
    return this.files.during('reads', ({ log }) => lane.scan(log, options))
  }

  /** As `Lane.read`. */
  read(lane: Lane, position: number, length: number): Promise<Buffer> {
    return this.files.during('reads', ({ log }) => lane.read(log, position, length))
  }

  /** Position of the last batch with an entry in the offset index; 0 where there is none. */
  lastIndexedPosition(): number {
    const { offsetIndex } = this.files.get()
    return offsetIndex.entries === 0 ? 0 : offsetIndex.entry(offsetIndex.entries - 1).position
  }

  /** A position before which lies no record at or behind `relativeOffset` with a timestamp of `timestamp` or above. */
  positionBefore(timestamp: bigint, relativeOffset: number): number {
    const { offsetIndex, timeIndex } = this.files.get()
    const byTime = timeIndex.lookup(timestamp)?.relativeOffset ?? 0
    return offsetIndex.lookup(Math.max(byTime, relativeOffset))?.position ?? 0
  }

  /** The error for a batch that is none at `position`, found by reading on from `startPosition`, which `positionBefore` gave. */
  damageAt(position: number, stop: string, startPosition: number): PartitionLogError {
    const { log, offsetIndex } = this.files.get()
    return damageAt(log, offsetIndex, { position, stop, indexedPosition: startPosition })
  }

  protected relative(offset: bigint): number {
    return Number(offset - this.baseOffset)
  }

  /**
   * The slice from a remembered batch on; undefined where none is remembered,
   * the bytes would have to be waited for, or are not those that were written:
   * the usual way tells what is the matter with them.
   */
  #readRecent(
    target: number,
    { endPosition, maxBytes, minOneBatch }: SliceBounds,
    read: (position: number, length: number) => Buffer | undefined,
  ): BatchSlice | undefined {
    const recent = this.recent.find(target, this.size)
    if (recent === undefined) return undefined
    const { position, sizeInBytes } = recent
    const length = Math.min(minOneBatch ? Math.max(maxBytes, sizeInBytes) : maxBytes, endPosition - position)
    if (length < layout.RECORDS_AT) return undefined
    const bytes = read(position, length)
    if (bytes?.length !== length) return undefined
    return isRecent(bytes, this.#exactBaseOffset, recent) ? { position, bytes } : undefined
  }

  #remembered(recent: RecentBatch, { offsetIndex }: SegmentHandles, target: number): Translation {
    const { relativeBase, relativeLast, position, sizeInBytes } = recent
    const baseOffset = this.baseOffset + BigInt(relativeBase)
    const lastOffset = this.baseOffset + BigInt(relativeLast)
    return {
      indexEntry: offsetIndex.lookup(target) ?? { relativeOffset: 0, position: 0 },
      batch: { position, sizeInBytes, baseOffset, lastOffset, magic: 2 },
      stop: 'found',
      position,
    }
  }

  #checkedSlice(slice: Slice, files: SegmentHandles, target: number): BatchSlice | null {
    const { batch, position } = this.#checked(slice.translation, files, target)
    return batch === null ? null : { position, bytes: slice.bytes }
  }

  #checked(translation: Translation, { log, offsetIndex }: SegmentHandles, target: number): Translation {
    const { baseOffset, sizeInBytes } = this
    return checkTranslation(translation, { baseOffset, log, sizeInBytes, offsetIndex, target })
  }
}

/** What a backend is asked for: offsets beyond 31 bits lie behind all that a segment can hold. */
function within(target: number): number {
  return Math.min(target, INT32_MAX)
}
