/**
 * An `.index` or `.timeindex`: a file of sorted entries, of which the first
 * `entries` are in use and the rest, up to the file's length, is zero.
 *
 * Nothing is cached but the two lengths. Zeroing is done by cutting the file
 * and giving it back its length, which needs no space on a full disk.
 */

import { ioError, outOfRange } from '../../errors.js'
import type { IndexFile, OpenIndexOptions } from '../contract.js'
import type { LeasedFile } from '../leased-file.js'
import { MAX_FILE_SIZE, requireIndexRoom } from '../room.js'
import { leasedFile, openFile, setLength, writeFully } from './file-io.js'
import type { EntryForm } from './index-entries.js'
import { entryAt, lookUp } from './index-search.js'
import { discardNewFile, undo } from './undo.js'
import type { IndexView } from './views.js'

export class PortableIndexFile<Key extends number | bigint, Entry> implements IndexFile<Key, Entry> {
  readonly kind: 'offset' | 'time'
  readonly entrySize: 8 | 12
  /** For lanes, which lease it. */
  readonly file: LeasedFile
  readonly #form: EntryForm<Key, Entry>
  readonly #writable: boolean
  #entries: number
  #sizeInBytes: number

  private constructor(
    form: EntryForm<Key, Entry>,
    file: LeasedFile,
    entries: number,
    sizeInBytes: number,
    writable: boolean,
  ) {
    this.kind = form.kind
    this.entrySize = form.entrySize
    this.#form = form
    this.#writable = writable
    this.file = file
    this.#entries = entries
    this.#sizeInBytes = sizeInBytes
  }

  static open<Key extends number | bigint, Entry>(
    form: EntryForm<Key, Entry>,
    path: string,
    options: OpenIndexOptions,
  ): PortableIndexFile<Key, Entry> {
    const { fd, sizeInBytes } = openFile(path, options.mode)
    const file = leasedFile(fd, path)
    if (options.mode !== 'create') {
      const entries = Math.floor(sizeInBytes / form.entrySize)
      return new PortableIndexFile(form, file, entries, sizeInBytes, options.mode === 'write')
    }
    const index = new PortableIndexFile(form, file, 0, 0, true)
    try {
      index.resize(options.capacityBytes)
    } catch (error) {
      discardNewFile(fd, path)
      throw error
    }
    return index
  }

  get path(): string {
    return this.file.path
  }

  get entries(): number {
    return this.#entries
  }

  get capacity(): number {
    return Math.floor(this.#sizeInBytes / this.entrySize)
  }

  get oddBytes(): number {
    return this.#sizeInBytes % this.entrySize
  }

  append(entries: Uint8Array): void {
    const { value: fd, path } = this.file
    requireIndexRoom(this, entries)
    try {
      writeFully(fd, path, entries, entries.length, this.#entries * this.entrySize)
    } catch (error) {
      throw undo(error, [() => this.#zeroFrom(this.#entries)])
    }
    this.#entries += entries.length / this.entrySize
  }

  entry(n: number): Entry {
    const view = this.view()
    if (!Number.isInteger(n) || n < 0 || n >= this.#entries) {
      throw outOfRange('entry', `a whole number from 0 to ${this.#entries - 1}`, n)
    }
    return entryAt(view, this.#form, n)
  }

  lookup(key: Key): Entry | null {
    return lookUp(this.view(), this.#form, key)
  }

  truncate(count: number): void {
    if (!Number.isInteger(count) || count < 0 || count > this.#entries) {
      throw outOfRange('count', `a whole number from 0 to ${this.#entries}`, count)
    }
    if (count < this.#entries && this.#writable) this.#zeroFrom(count)
    this.#entries = count
  }

  resize(capacityBytes: number): void {
    if (capacityBytes > MAX_FILE_SIZE) throw ioError('ftruncate', 'EFBIG', this.path)
    const capacity = Math.max(this.#entries, Math.floor(capacityBytes / this.entrySize))
    this.#setLength(capacity * this.entrySize)
  }

  trim(): void {
    this.#setLength(this.#entries * this.entrySize)
  }

  close(): Promise<void> {
    return this.file.close()
  }

  /** What a lookup needs, valid for this turn or under a lease. */
  view(): IndexView {
    return { fd: this.file.value, path: this.path, entries: this.#entries }
  }

  #setLength(sizeInBytes: number): void {
    const { value: fd, path } = this.file
    if (sizeInBytes === this.#sizeInBytes) return
    // Bytes behind the last entry, of an append that was torn, are not to become one.
    if (sizeInBytes > this.#sizeInBytes && this.oddBytes > 0)
      setLength(fd, path, this.#entries * this.entrySize)
    setLength(fd, path, sizeInBytes)
    this.#sizeInBytes = sizeInBytes
  }

  #zeroFrom(entry: number): void {
    const { value: fd, path } = this.file
    setLength(fd, path, entry * this.entrySize)
    setLength(fd, path, this.#sizeInBytes)
  }
}
