/**
 * A file being dumped: opened for reading only, its length taken once, its
 * bytes read through one window, so that memory stays bounded whatever a file
 * claims of itself.
 */

import { type FileHandle, open, stat } from 'node:fs/promises'
import { toIoError } from '../../backend/node-error.js'
import { UsageError } from '../failure.js'

const WINDOW_BYTES = 1 << 20
/** Most of a file that is searched which is kept at once; a larger one is read in pieces for a few entries. */
const SEARCHED_WHOLE_BYTES = 16 << 20
const SEARCHED_PIECE_BYTES = 1 << 12

export class DumpedFile implements AsyncDisposable {
  readonly path: string
  readonly sizeInBytes: number
  readonly #handle: FileHandle
  readonly #windowBytes: number
  #window = Buffer.alloc(0)
  #windowStart = 0

  private constructor(path: string, sizeInBytes: number, handle: FileHandle, windowBytes: number) {
    this.path = path
    this.sizeInBytes = sizeInBytes
    this.#handle = handle
    this.#windowBytes = windowBytes
  }

  /**
   * `ERR_IO` where it cannot be opened, wrong usage where it is a directory; it is never made. A file that is `searched`
   * is read here and there, not from its start to its end.
   */
  static async open(path: string, searched = false): Promise<DumpedFile> {
    let handle: FileHandle | undefined
    try {
      handle = await open(path, 'r')
      const entry = await handle.stat()
      if (entry.isDirectory()) throw isDirectory(path)
      return new DumpedFile(path, entry.size, handle, searched ? searchWindow(entry.size) : WINDOW_BYTES)
    } catch (error) {
      await handle?.close()
      throw toIoError(error, path)
    }
  }

  /**
   * The bytes `[position, position + length)`, fewer at the end of the file. A
   * view that is good until the next read; copy what must last.
   */
  async read(position: number, length: number): Promise<Buffer> {
    const end = Math.min(position + length, this.sizeInBytes)
    if (position >= end || position < 0) return Buffer.alloc(0)
    if (position < this.#windowStart || end > this.#windowStart + this.#window.length)
      await this.#moveWindow(position, end - position)
    return this.#window.subarray(position - this.#windowStart, end - this.#windowStart)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }

  async #moveWindow(wantedFrom: number, atLeast: number): Promise<void> {
    const position = this.sizeInBytes <= this.#windowBytes ? 0 : wantedFrom
    const wanted = Math.min(Math.max(atLeast, this.#windowBytes), this.sizeInBytes - position)
    const bytes = Buffer.allocUnsafe(wanted)
    let filled = 0
    try {
      while (filled < wanted) {
        const { bytesRead } = await this.#handle.read(bytes, filled, wanted - filled, position + filled)
        // Cut shorter meanwhile: what is gone is not there.
        if (bytesRead === 0) break
        filled += bytesRead
      }
    } catch (error) {
      throw toIoError(error, this.path)
    }
    this.#window = bytes.subarray(0, filled)
    this.#windowStart = position
  }
}

/** Wrong usage where `path` is a directory; a missing one is none. */
export async function refuseDirectory(path: string): Promise<void> {
  const entry = await stat(path).catch(() => undefined)
  if (entry?.isDirectory() === true) throw isDirectory(path)
}

function searchWindow(sizeInBytes: number): number {
  return sizeInBytes <= SEARCHED_WHOLE_BYTES ? sizeInBytes : SEARCHED_PIECE_BYTES
}

function isDirectory(path: string): UsageError {
  return new UsageError(`${path} is a directory: give the files in it`)
}

/** Opens a file, hands it to `use` and closes it whatever happens. */
export async function withFile<T>(
  path: string,
  use: (file: DumpedFile) => Promise<T>,
  searched?: boolean,
): Promise<T> {
  const file = await DumpedFile.open(path, searched)
  try {
    return await use(file)
  } finally {
    await file[Symbol.asyncDispose]()
  }
}
