/**
 * A segment's `.log` behind a descriptor. Always true: `sizeInBytes` bytes
 * from the start count, and an append that failed has left neither log nor
 * indexes changed, or says `damaged`.
 */

import { outOfRange } from '../../errors.js'
import { crc32c } from '../../format/crc32c.js'
import { ATTRIBUTES_AT, CRC_AT } from '../../format/layout.js'
import type {
  AppendRequest,
  LogFile,
  OffsetIndexFile,
  OpenLogOptions,
  Slice,
  SliceBounds,
  TimeIndexFile,
  Translation,
} from '../contract.js'
import type { LeasedFile } from '../leased-file.js'
import { requireIndexRoom, requireLogRoom } from '../room.js'
import { leasedFile, openFile, setLength, writeFully } from './file-io.js'
import { readBytes, readInto, readSlice } from './slice.js'
import { translate } from './translate.js'
import { discardNewFile, undo } from './undo.js'
import type { LogView } from './views.js'

export class PortableLogFile implements LogFile {
  readonly baseOffset: bigint
  /** For lanes, which lease it. */
  readonly file: LeasedFile
  #sizeInBytes: number
  /** Length on disk: larger than the valid size where the file was preallocated. */
  #fileLength: number

  private constructor(file: LeasedFile, baseOffset: bigint, sizeInBytes: number, fileLength: number) {
    this.file = file
    this.baseOffset = baseOffset
    this.#sizeInBytes = sizeInBytes
    this.#fileLength = fileLength
  }

  static open(path: string, options: OpenLogOptions): PortableLogFile {
    const { fd, sizeInBytes } = openFile(path, options.mode)
    const file = leasedFile(fd, path)
    if (options.mode !== 'create')
      return new PortableLogFile(file, options.baseOffset, sizeInBytes, sizeInBytes)
    const fileLength = options.preallocateBytes ?? 0
    try {
      if (fileLength > 0) setLength(fd, path, fileLength)
    } catch (error) {
      discardNewFile(fd, path)
      throw error
    }
    return new PortableLogFile(file, options.baseOffset, 0, fileLength)
  }

  get path(): string {
    return this.file.path
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes
  }

  append(request: AppendRequest, offsetIndex: OffsetIndexFile, timeIndex: TimeIndexFile): void {
    const { bytes, length, offsetEntries, timeEntries } = request
    const { value: fd, path } = this.file
    requireLogRoom(this.path, this.#sizeInBytes + length)
    if (offsetEntries !== undefined) requireIndexRoom(offsetIndex, offsetEntries)
    if (timeEntries !== undefined) requireIndexRoom(timeIndex, timeEntries)
    if (request.seal) seal(bytes, length)
    const [offsetCount, timeCount] = [offsetIndex.entries, timeIndex.entries]
    try {
      writeFully(fd, path, bytes, length, this.#sizeInBytes)
      if (offsetEntries !== undefined) offsetIndex.append(offsetEntries)
      if (timeEntries !== undefined) timeIndex.append(timeEntries)
    } catch (error) {
      const undoIndexes = [() => offsetIndex.truncate(offsetCount), () => timeIndex.truncate(timeCount)]
      throw undo(error, [() => this.#restore(), ...undoIndexes])
    }
    this.#sizeInBytes += length
    this.#fileLength = Math.max(this.#fileLength, this.#sizeInBytes)
  }

  truncate(sizeInBytes: number): void {
    const { value: fd, path } = this.file
    if (!Number.isInteger(sizeInBytes) || sizeInBytes < 0 || sizeInBytes > this.#sizeInBytes) {
      throw outOfRange('sizeInBytes', `a whole number from 0 to ${this.#sizeInBytes}`, sizeInBytes)
    }
    if (sizeInBytes < this.#fileLength) setLength(fd, path, sizeInBytes)
    this.#sizeInBytes = sizeInBytes
    this.#fileLength = sizeInBytes
  }

  trim(): void {
    this.truncate(this.#sizeInBytes)
  }

  translate(index: OffsetIndexFile, target: number): Translation {
    const view = this.view()
    return translate(view, index.lookup(target), target, 0)
  }

  sliceIfCached(): undefined {
    void this.file.value
    return undefined
  }

  findTimeIfCached(): undefined {
    void this.file.value
    return undefined
  }

  sliceBlocking(index: OffsetIndexFile, target: number, bounds: SliceBounds): Slice {
    const view = this.view()
    return readSlice(view, index.lookup(target), target, bounds)
  }

  readBlocking(position: number, length: number): Buffer {
    return readBytes(this.view(), position, length)
  }

  readInto(target: Uint8Array, position: number): number {
    return readInto(this.view(), target, position)
  }

  readIfCached(): undefined {
    void this.file.value
    return undefined
  }

  close(): Promise<void> {
    return this.file.close()
  }

  /** What a read needs, valid for this turn or under a lease. */
  view(): LogView {
    return {
      fd: this.file.value,
      path: this.path,
      baseOffset: this.baseOffset,
      sizeInBytes: this.#sizeInBytes,
    }
  }

  /** Drops what a failed write left behind the valid size; a preallocated tail is zero again. */
  #restore(): void {
    const { value: fd, path } = this.file
    setLength(fd, path, this.#sizeInBytes)
    if (this.#fileLength > this.#sizeInBytes) setLength(fd, path, this.#fileLength)
  }
}

/** Computes a magic 2 batch's CRC and stores it. */
function seal(bytes: Uint8Array, length: number): void {
  const crc = crc32c(bytes, ATTRIBUTES_AT, length)
  for (let i = 0; i < 4; i++) bytes[CRC_AT + i] = crc >>> (24 - 8 * i)
}
