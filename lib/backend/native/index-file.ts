/**
 * An `.index` or `.timeindex` of the native backend: a handle, and the file's
 * lengths as the last native call left them.
 */

import { INT32_MAX } from '../../base/int64.js'
import { ioError, outOfRange } from '../../errors.js'
import type {
  IndexFile,
  OffsetIndexEntry,
  OffsetIndexFile,
  OpenIndexOptions,
  TimeIndexEntry,
  TimeIndexFile,
} from '../contract.js'
import { LeasedFile } from '../leased-file.js'
import { MAX_FILE_SIZE, requireIndexRoom } from '../room.js'
import { type Handle, INDEX_KINDS, type NativeAddon, OPEN_MODES } from './addon.js'
import { type Answers, At, BigAt } from './answers.js'
import { mayMapIndexes, NativeSpareFiles, spareHandle } from './spare-files.js'

const INT32_MIN = -2_147_483_648

abstract class NativeIndexFile<Key extends number | bigint, Entry> implements IndexFile<Key, Entry> {
  abstract readonly kind: 'offset' | 'time'
  abstract readonly entrySize: 8 | 12
  /** The addon's; lane operations lease it. */
  readonly handle: LeasedFile
  protected readonly addon: NativeAddon
  protected readonly answers: Answers
  entries = 0
  capacity = 0
  oddBytes = 0

  constructor(addon: NativeAddon, answers: Answers, handle: Handle, path: string) {
    this.addon = addon
    this.answers = answers
    this.handle = new LeasedFile(handle, path, 'at-once', (value) => addon.index_close(value))
    this.#noteLengths()
  }

  protected abstract decode(): Entry
  protected abstract nativeKey(key: Key): number | bigint

  get path(): string {
    return this.handle.path
  }

  append(entries: Uint8Array): void {
    const handle = this.handle.value
    requireIndexRoom(this, entries)
    this.addon.index_append(handle, entries)
    if (this.answers.failed) throw this.answers.writeFailure(this.path)
    this.#noteLengths()
  }

  /** Counts entries that an append of the log has written. */
  noteAppended(entries: Uint8Array): void {
    this.entries += entries.length / this.entrySize
  }

  entry(n: number): Entry {
    const handle = this.handle.value
    if (!Number.isInteger(n) || n < 0 || n >= this.entries) {
      throw outOfRange('entry', `a whole number from 0 to ${this.entries - 1}`, n)
    }
    this.addon.index_entry(handle, n)
    this.answers.check(this.path)
    return this.decode()
  }

  lookup(key: Key): Entry | null {
    this.addon.index_lookup(this.handle.value, this.nativeKey(key))
    this.answers.check(this.path)
    return this.answers.number(At.position) < 0 ? null : this.decode()
  }

  truncate(count: number): void {
    const handle = this.handle.value
    if (!Number.isInteger(count) || count < 0 || count > this.entries) {
      throw outOfRange('count', `a whole number from 0 to ${this.entries}`, count)
    }
    this.addon.index_truncate(handle, count)
    this.#changed()
  }

  resize(capacityBytes: number): void {
    const handle = this.handle.value
    if (capacityBytes > MAX_FILE_SIZE) throw ioError('ftruncate', 'EFBIG', this.path)
    this.addon.index_resize(handle, Math.max(0, Math.floor(capacityBytes)))
    this.#changed()
  }

  trim(): void {
    this.addon.index_trim(this.handle.value)
    this.#changed()
  }

  close(): Promise<void> {
    return this.handle.close()
  }

  #changed(): void {
    this.#noteLengths()
    this.answers.check(this.path)
  }

  #noteLengths(): void {
    this.entries = this.answers.number(At.length)
    this.capacity = this.answers.number(At.capacity)
    this.oddBytes = this.answers.number(At.oddBytes)
  }
}

export class NativeOffsetIndex extends NativeIndexFile<number, OffsetIndexEntry> implements OffsetIndexFile {
  readonly kind = 'offset'
  readonly entrySize = 8

  protected decode(): OffsetIndexEntry {
    return { relativeOffset: this.answers.number(At.indexKey), position: this.answers.number(At.indexValue) }
  }

  protected nativeKey(key: number): number {
    return toInt32(key)
  }
}

export class NativeTimeIndex extends NativeIndexFile<bigint, TimeIndexEntry> implements TimeIndexFile {
  readonly kind = 'time'
  readonly entrySize = 12

  protected decode(): TimeIndexEntry {
    return {
      timestamp: this.answers.big(BigAt.timestamp),
      relativeOffset: this.answers.number(At.indexValue),
    }
  }

  protected nativeKey(key: bigint): bigint {
    return key
  }
}

/** A key beyond int32 is beyond every entry, as the bound is. */
export function toInt32(key: number): number {
  return Math.max(INT32_MIN, Math.min(INT32_MAX, Math.floor(key)))
}

export function openNativeIndex(
  addon: NativeAddon,
  answers: Answers,
  path: string,
  options: OpenIndexOptions & { kind: 'offset' | 'time' },
): NativeOffsetIndex | NativeTimeIndex {
  const { kind, mode, capacityBytes, spare } = options
  if (mode === 'create' && capacityBytes > MAX_FILE_SIZE) throw ioError('ftruncate', 'EFBIG', path)
  const mayMap = spare instanceof NativeSpareFiles ? spare.mayMap : mayMapIndexes()
  const capacity = mode === 'create' ? Math.max(0, Math.floor(capacityBytes)) : 0
  const [kindNumber, modeNumber] = [INDEX_KINDS[kind], OPEN_MODES[mode]]
  const handle = addon.index_open(path, kindNumber, modeNumber, capacity, mayMap, spareHandle(spare))
  if (handle === undefined) throw answers.failure(path)
  return kind === 'offset'
    ? new NativeOffsetIndex(addon, answers, handle, path)
    : new NativeTimeIndex(addon, answers, handle, path)
}
