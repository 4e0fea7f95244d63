/**
 * The libraries behind the zstd codec: `node:zlib` (from Node 22.15 on) and
 * `@bokuweb/zstd-wasm`.
 */

import * as nodeZlib from 'node:zlib'
import { UnsupportedError } from '../../errors.js'
import { requirePrivately } from './library.js'
import { CapacityExceeded, type ZstdLibrary } from './zstd.js'

type Done = (error: Error | null, result: Uint8Array) => void
interface DecompressOptions {
  readonly maxOutputLength: number
  readonly chunkSize: number
}
interface CompressOptions {
  readonly params: Readonly<Record<number, number>>
}

/** The part of `node:zlib` that is used; Node 20 lacks it. */
export interface ZlibWithZstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number }
  zstdCompressSync(bytes: Uint8Array, options: CompressOptions): Uint8Array
  zstdCompress(bytes: Uint8Array, options: CompressOptions, done: Done): void
  zstdDecompressSync(bytes: Uint8Array, options: DecompressOptions): Uint8Array
  zstdDecompress(bytes: Uint8Array, options: DecompressOptions, done: Done): void
}

/** `node:zlib` if it has zstd, else undefined. */
export function zlibWithZstd(): ZlibWithZstd | undefined {
  const zlib = nodeZlib as unknown as Partial<ZlibWithZstd>
  return typeof zlib.zstdDecompressSync === 'function' ? (zlib as ZlibWithZstd) : undefined
}

const MIN_PIECE = 1024
const MAX_PIECE = 1 << 20

/** zstd by `zlib` (async on libuv's pool). */
export function zlibZstd(zlib: ZlibWithZstd): ZstdLibrary {
  const compressOptions = (level: number): CompressOptions => ({
    params: { [zlib.constants.ZSTD_c_compressionLevel]: level },
  })
  return {
    library: 'node:zlib',
    compress: (bytes, level) => zlib.zstdCompressSync(bytes, compressOptions(level)),
    compressAsync: (bytes, level) =>
      new Promise((resolve, reject) => {
        zlib.zstdCompress(bytes, compressOptions(level), (error, result) =>
          error ? reject(error) : resolve(result),
        )
      }),
    decompress(frame, capacity) {
      try {
        return zlib.zstdDecompressSync(frame, decompressOptions(capacity))
      } catch (error) {
        throw zlibError(error)
      }
    },
    decompressAsync: (frame, capacity) =>
      new Promise((resolve, reject) => {
        zlib.zstdDecompress(frame, decompressOptions(capacity), (error, result) =>
          error ? reject(zlibError(error)) : resolve(result),
        )
      }),
  }
}

function decompressOptions(capacity: number): DecompressOptions {
  // A limit of 0 is none that zlib takes; the codec counts the result anyway.
  const chunkSize = Math.min(MAX_PIECE, Math.max(MIN_PIECE, capacity + 1))
  return { maxOutputLength: Math.max(1, capacity), chunkSize }
}

function zlibError(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new CapacityExceeded() : error
}

interface WasmModule {
  init(): Promise<void>
  compress(bytes: Uint8Array, level: number): Uint8Array
  decompress(frame: Uint8Array, options: { defaultHeapSize: number }): Uint8Array
}

/** Its memory ends at 2 GiB and a failed allocation in it goes unnoticed: input and output stay far below. */
const WASM_ROOM_BYTES = 1 << 30
/** zstd's own code for an output that does not fit, as the package words it. */
const OUTPUT_TOO_SMALL = /code -70$/

/**
 * The package `@bokuweb/zstd-wasm`; all on the caller's turn. Its results are
 * copies. A second `init` of one instance, by the host or another copy of this
 * package, would leave it writing zeros: so the instance is ours alone.
 */
export async function wasmZstd(): Promise<ZstdLibrary> {
  const module = requirePrivately('@bokuweb/zstd-wasm') as WasmModule
  await module.init()
  const compress = (bytes: Uint8Array, level: number): Uint8Array => {
    checkRoom(bytes.length * 2)
    return module.compress(bytes, level)
  }
  const decompress = (frame: Uint8Array, capacity: number): Uint8Array => {
    checkRoom(frame.length + capacity)
    try {
      return module.decompress(frame, { defaultHeapSize: Math.max(1, capacity) })
    } catch (error) {
      throw error instanceof Error && OUTPUT_TOO_SMALL.test(error.message) ? new CapacityExceeded() : error
    }
  }
  return {
    library: '@bokuweb/zstd-wasm',
    compress,
    compressAsync: async (bytes, level) => compress(bytes, level),
    decompress,
    decompressAsync: async (frame, capacity) => decompress(frame, capacity),
  }
}

function checkRoom(sizeInBytes: number): void {
  if (sizeInBytes <= WASM_ROOM_BYTES) return
  const message = `zstd data of ${sizeInBytes} bytes is more than zstd-wasm can take: use a Node whose zlib has zstd`
  throw new UnsupportedError('ERR_UNSUPPORTED', message)
}
