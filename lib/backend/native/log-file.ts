/**
 * A segment's `.log` of the native backend: a handle, and the valid size as
 * the last native call left it. One crossing for an append with its index
 * entries, one for a translation, one for a slice.
 */

import { outOfRange, wrongType } from '../../errors.js'
import type {
  AppendRequest,
  BatchPlace,
  FoundRecord,
  LogFile,
  OffsetIndexFile,
  OpenLogOptions,
  Slice,
  SliceBounds,
  TimeIndexFile,
  TimeQuery,
  Translation,
} from '../contract.js'
import { LeasedFile } from '../leased-file.js'
import { MAX_FILE_SIZE, requireIndexRoom, requireLogRoom } from '../room.js'
import { type Handle, type NativeAddon, OPEN_MODES } from './addon.js'
import { type Answers, At, BigAt, NOT_CACHED, TOO_LONG } from './answers.js'
import { NativeOffsetIndex, NativeTimeIndex, toInt32 } from './index-file.js'
import { Slab } from './slab.js'
import { spareHandle } from './spare-files.js'

export class NativeLogFile implements LogFile {
  readonly baseOffset: bigint
  /** The addon's; lane operations lease it. */
  readonly handle: LeasedFile
  readonly #addon: NativeAddon
  readonly #answers: Answers
  #sizeInBytes: number

  constructor(addon: NativeAddon, answers: Answers, handle: Handle, path: string, baseOffset: bigint) {
    this.#addon = addon
    this.#answers = answers
    this.handle = new LeasedFile(handle, path, 'at-once', (value) => addon.log_close(value))
    this.baseOffset = baseOffset
    this.#sizeInBytes = answers.number(At.length)
  }

  static open(addon: NativeAddon, answers: Answers, path: string, options: OpenLogOptions): NativeLogFile {
    const { mode, baseOffset, preallocateBytes = 0, spare } = options
    const handle = addon.log_open(path, OPEN_MODES[mode], baseOffset, preallocateBytes, spareHandle(spare))
    if (handle === undefined) throw answers.failure(path)
    return new NativeLogFile(addon, answers, handle, path, baseOffset)
  }

  get path(): string {
    return this.handle.path
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes
  }

  append(request: AppendRequest, offsetIndex: OffsetIndexFile, timeIndex: TimeIndexFile): void {
    const { bytes, length, seal, offsetEntries, timeEntries } = request
    const handle = this.handle.value
    requireLogRoom(this.path, this.#sizeInBytes + length)
    if (offsetEntries === undefined && timeEntries === undefined) {
      this.#addon.log_append(handle, bytes, length, seal)
      if (this.#answers.failed) throw this.#answers.writeFailure(this.path)
    } else {
      this.#appendIndexed(request, asOffsetIndex(offsetIndex), asTimeIndex(timeIndex))
    }
    this.#sizeInBytes += length
  }

  truncate(sizeInBytes: number): void {
    const handle = this.handle.value
    if (!Number.isInteger(sizeInBytes) || sizeInBytes < 0 || sizeInBytes > this.#sizeInBytes) {
      throw outOfRange('sizeInBytes', `a whole number from 0 to ${this.#sizeInBytes}`, sizeInBytes)
    }
    this.#addon.log_truncate(handle, sizeInBytes)
    this.#answers.check(this.path)
    this.#sizeInBytes = sizeInBytes
  }

  trim(): void {
    this.truncate(this.#sizeInBytes)
  }

  translate(index: OffsetIndexFile, target: number): Translation {
    this.#addon.log_translate(this.handle.value, asOffsetIndex(index).handle.value, toInt32(target))
    this.#answers.check(this.path)
    return this.#answers.translation()
  }

  sliceIfCached(index: OffsetIndexFile, target: number, bounds: SliceBounds): Slice | undefined {
    return this.#slice(index, target, clampBounds(bounds), false)
  }

  sliceBlocking(index: OffsetIndexFile, target: number, bounds: SliceBounds): Slice {
    return this.#slice(index, target, clampBounds(bounds), true) as Slice
  }

  findTimeIfCached(
    offsetIndex: OffsetIndexFile,
    timeIndex: TimeIndexFile,
    { timestamp, firstOffset, endOffset, endPosition }: TimeQuery,
  ): FoundRecord | undefined {
    this.#addon.log_find_time(
      this.handle.value,
      asOffsetIndex(offsetIndex).handle.value,
      asTimeIndex(timeIndex).handle.value,
      timestamp,
      firstOffset,
      endOffset,
      clampPosition(endPosition),
    )
    if (this.#answers.number(At.start) === NOT_CACHED) return undefined
    return { offset: this.#answers.big(BigAt.baseOffset), timestamp: this.#answers.big(BigAt.timestamp) }
  }

  readBlocking(position: number, length: number): Buffer {
    const bytes = this.#memoryFor(position, length)
    return upTo(bytes, this.#readInto(bytes, position, true) as number)
  }

  readIfCached(position: number, length: number): Buffer | undefined {
    const bytes = this.#memoryFor(position, length)
    const got = this.#readInto(bytes, position, false)
    return got === undefined ? undefined : upTo(bytes, got)
  }

  readInto(target: Uint8Array, position: number): number {
    return this.#readInto(target, position, true) as number
  }

  close(): Promise<void> {
    return this.handle.close()
  }

  #appendIndexed(request: AppendRequest, offsetIndex: NativeOffsetIndex, timeIndex: NativeTimeIndex): void {
    const { bytes, length, seal, offsetEntries, timeEntries } = request
    if (offsetEntries !== undefined) requireIndexRoom(offsetIndex, offsetEntries)
    if (timeEntries !== undefined) requireIndexRoom(timeIndex, timeEntries)
    const [offsetHandle, timeHandle] = [offsetIndex.handle.value, timeIndex.handle.value]
    this.#addon.log_append(
      this.handle.value,
      bytes,
      length,
      seal,
      offsetHandle,
      timeHandle,
      offsetEntries,
      timeEntries,
    )
    if (this.#answers.failed) {
      const failed = [this, offsetIndex, timeIndex][this.#answers.number(At.part)] ?? this
      throw this.#answers.writeFailure(failed.path)
    }
    if (offsetEntries !== undefined) offsetIndex.noteAppended(offsetEntries)
    if (timeEntries !== undefined) timeIndex.noteAppended(timeEntries)
  }

  /** Undefined where it would have to wait. */
  #readInto(target: Uint8Array, position: number, wait: boolean): number | undefined {
    if (!(target instanceof Uint8Array)) throw wrongType('target', 'a Uint8Array', target)
    this.#addon.log_read_into(this.handle.value, target, clampPosition(position), wait)
    this.#answers.check(this.path)
    return this.#answers.number(At.start) === NOT_CACHED ? undefined : this.#answers.number(At.length)
  }

  /** Undefined where it would have to wait. */
  #slice(index: OffsetIndexFile, target: number, bounds: SliceBounds, wait: boolean): Slice | undefined {
    const { fromPosition, endPosition, maxBytes, minOneBatch } = bounds
    // Where all of it finds no room there is some for the headers that lead to it, and for one batch.
    if (!slab.room(maxBytes + SEARCH_BYTES)) slab.room(SEARCH_BYTES)
    this.#addon.log_slice(
      this.handle.value,
      asOffsetIndex(index).handle.value,
      toInt32(target),
      fromPosition,
      endPosition,
      maxBytes,
      minOneBatch,
      wait,
      slab.memory,
      slab.start,
    )
    this.#answers.check(this.path)
    const start = this.#answers.number(At.start)
    if (start === NOT_CACHED) return undefined
    const length = this.#answers.number(At.length)
    const translation = this.#answers.translation()
    if (start === TOO_LONG) return this.#longSlice(translation, length, wait)
    return { translation, bytes: slab.take(start, length) }
  }

  /** Of a slice that the slab has no room for, its bytes. */
  #longSlice(translation: Translation, length: number, wait: boolean): Slice | undefined {
    const bytes = Buffer.allocUnsafeSlow(length)
    const got = this.#readInto(bytes, translation.position, wait)
    if (got === undefined) return undefined
    const isTorn = got < length && got < (translation.batch as BatchPlace).sizeInBytes
    if (isTorn)
      return { translation: { ...translation, batch: null, stop: 'torn-batch' }, bytes: Buffer.alloc(0) }
    return { translation, bytes: upTo(bytes, got) }
  }

  /** For bytes up to the valid size. */
  #memoryFor(position: number, length: number): Buffer {
    const left = Math.max(0, this.#sizeInBytes - clampPosition(position))
    return slab.allocate(Math.min(clampPosition(length), left))
  }
}

/** Fewer than asked for only where the file was cut by others. */
function upTo(bytes: Buffer, length: number): Buffer {
  return length === bytes.length ? bytes : bytes.subarray(0, length)
}

/** Reads do not nest, so one a thread is enough. */
const slab = new Slab()
/** Headers of more than an index interval. */
const SEARCH_BYTES = 1 << 14

/** Any number as a position that native code takes: nothing lies beyond the bounds. */
export function clampPosition(position: number): number {
  return Math.max(0, Math.min(MAX_FILE_SIZE, Math.floor(position)))
}

export function clampBounds(bounds: SliceBounds): SliceBounds {
  return {
    fromPosition: clampPosition(bounds.fromPosition),
    endPosition: clampPosition(bounds.endPosition),
    maxBytes: clampPosition(bounds.maxBytes),
    minOneBatch: bounds.minOneBatch,
  }
}

export function asLog(log: unknown): NativeLogFile {
  if (log instanceof NativeLogFile) return log
  throw wrongType('log', 'a log file of the native backend', log)
}

export function asOffsetIndex(index: unknown): NativeOffsetIndex {
  if (index instanceof NativeOffsetIndex) return index
  throw wrongType('index', 'an offset index of the native backend', index)
}

function asTimeIndex(index: unknown): NativeTimeIndex {
  if (index instanceof NativeTimeIndex) return index
  throw wrongType('index', 'a time index of the native backend', index)
}
