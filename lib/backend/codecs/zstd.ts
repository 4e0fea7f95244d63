/**
 * zstd: `node:zlib` where this Node has it, else `@bokuweb/zstd-wasm`.
 *
 * Data is cut into frames here and each goes to the library alone: neither
 * library is then asked to guess a size, and none drops a second frame.
 */

import { type Codec, compressionLevel, type DecompressLimits, tooLarge } from '../../format/compression.js'
import { type ZstdFrame, zstdFrames } from '../../format/zstd-frame.js'
import { guarded, guardedAsync, joined } from './library.js'

/** Thrown by a library's `decompress` for a frame that gives more than `capacity`. */
export class CapacityExceeded extends Error {}

/** Whole zstd frames. */
export interface ZstdLibrary {
  readonly library: string
  compress(bytes: Uint8Array, level: number): Uint8Array
  compressAsync(bytes: Uint8Array, level: number): Promise<Uint8Array>
  /** At most `capacity` bytes (and no more memory than that), else `CapacityExceeded`. */
  decompress(frame: Uint8Array, capacity: number): Uint8Array
  decompressAsync(frame: Uint8Array, capacity: number): Promise<Uint8Array>
}

/** The codec over one library. */
export function zstdFrom(lib: ZstdLibrary): Codec {
  return {
    name: 'zstd',
    library: lib.library,
    compress: (bytes, level) => lib.compress(bytes, compressionLevel('zstd', level)),
    compressAsync: async (bytes, level) => lib.compressAsync(bytes, compressionLevel('zstd', level)),
    decompress: (bytes, limits) =>
      guarded('zstd', () => {
        const output = new Output(limits)
        for (const frame of zstdFrames(bytes)) {
          const capacity = output.capacityFor(frame)
          output.add(output.bounded(() => lib.decompress(frame.bytes, capacity)))
        }
        return output.whole()
      }),
    decompressAsync: (bytes, limits) =>
      guardedAsync('zstd', async () => {
        const output = new Output(limits)
        for (const frame of zstdFrames(bytes)) {
          const capacity = output.capacityFor(frame)
          output.add(await output.boundedAsync(() => lib.decompressAsync(frame.bytes, capacity)))
        }
        return output.whole()
      }),
  }
}

/** What the frames gave so far, within the limit. */
class Output {
  readonly #limits: DecompressLimits
  readonly #parts: Uint8Array[] = []
  #sizeInBytes = 0

  constructor(limits: DecompressLimits) {
    this.#limits = limits
  }

  /** Memory to give to a frame: what it declares, or the most that it can give, cut to what is left. */
  capacityFor(frame: ZstdFrame): number {
    const left = this.#limits.maxBytes - this.#sizeInBytes
    if (frame.contentBytes !== undefined && frame.contentBytes > left) {
      throw tooLarge('zstd', this.#limits, this.#sizeInBytes + frame.contentBytes)
    }
    return frame.contentBytes ?? Math.min(frame.maxBytes, left)
  }

  bounded(run: () => Uint8Array): Uint8Array {
    try {
      return run()
    } catch (error) {
      throw this.#translated(error)
    }
  }

  async boundedAsync(run: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      return await run()
    } catch (error) {
      throw this.#translated(error)
    }
  }

  add(part: Uint8Array): void {
    this.#sizeInBytes += part.length
    if (this.#sizeInBytes > this.#limits.maxBytes) throw tooLarge('zstd', this.#limits, this.#sizeInBytes)
    this.#parts.push(part)
  }

  whole(): Uint8Array {
    const only = this.#parts.length === 1 ? this.#parts[0] : undefined
    return only ?? joined(this.#parts, this.#sizeInBytes)
  }

  #translated(error: unknown): unknown {
    return error instanceof CapacityExceeded ? tooLarge('zstd', this.#limits) : error
  }
}
