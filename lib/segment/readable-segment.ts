/**
 * Looking things up in a segment and reading from it. Nothing here changes a
 * file or decides where a reader may go; what a backend answers is checked
 * before it is believed.
 */

import type {
  BatchScan,
  Lane,
  OffsetIndexFile,
  ScanOptions,
  Slice,
  SliceBounds,
  Translation,
} from '../backend/contract.js'
import type { FileFacts } from './file-facts.js'
import type { LazyFiles } from './lazy-files.js'
import { checkTranslation } from './translation-check.js'

export abstract class ReadableSegment {
  readonly baseOffset: bigint
  protected readonly files: LazyFiles
  /** Bytes of the `.log` that count. */
  protected size: number

  constructor(baseOffset: bigint, files: LazyFiles, sizeInBytes: number) {
    this.baseOffset = baseOffset
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

  /** Entries of its indexes, and how many they can take. Opens them where that was never asked for. */
  indexFacts(): Omit<FileFacts, 'sizeInBytes'> {
    return this.files.facts()
  }

  /** Index answer and batch for a relative offset. Throws `ERR_CORRUPT` where a header cannot be one. */
  translate(target: number): Translation {
    const { log, offsetIndex } = this.files.get()
    return this.#checked(log.translate(offsetIndex, target), offsetIndex, target)
  }

  /** Undefined where the bytes would have to be waited for. */
  sliceIfCached(target: number, bounds: SliceBounds): Slice | undefined {
    const { log, offsetIndex } = this.files.get()
    const slice = log.sliceIfCached(offsetIndex, target, bounds)
    return slice && this.#checkedSlice(slice, offsetIndex, target)
  }

  sliceBlocking(target: number, bounds: SliceBounds): Slice {
    const { log, offsetIndex } = this.files.get()
    return this.#checkedSlice(log.sliceBlocking(offsetIndex, target, bounds), offsetIndex, target)
  }

  slice(lane: Lane, target: number, bounds: SliceBounds): Promise<Slice> {
    return this.files.during('reads', async ({ log, offsetIndex }) =>
      this.#checkedSlice(await lane.slice(log, offsetIndex, target, bounds), offsetIndex, target),
    )
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

  #checkedSlice({ translation, bytes }: Slice, offsetIndex: OffsetIndexFile, target: number): Slice {
    return { translation: this.#checked(translation, offsetIndex, target), bytes }
  }

  #checked(translation: Translation, offsetIndex: OffsetIndexFile, target: number): Translation {
    const { baseOffset, logPath, sizeInBytes } = this
    return checkTranslation(translation, { baseOffset, logPath, sizeInBytes, offsetIndex, target })
  }
}
