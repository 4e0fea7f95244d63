/**
 * snappy: raw blocks by the native package `snappy`, or by `snappyjs`, under
 * our own framing. Both give what any reader of the format accepts; their
 * compressed bytes need not be the same.
 */

import { badCompression, type Codec, type DecompressLimits } from '../../format/compression.js'
import { isSnappyBlock } from '../../format/snappy-block.js'
import { type SnappyBlocks, xerialBlocks, xerialPieces, xerialStream } from '../../format/xerial.js'
import { guarded, guardedAsync, importPackage, joined } from './library.js'

/** Raw snappy blocks; a library that trusts its input checks it first. */
export interface SnappyLibrary {
  readonly library: string
  compress(bytes: Uint8Array): Uint8Array
  compressAsync(bytes: Uint8Array): Promise<Uint8Array>
  uncompress(block: Uint8Array): Uint8Array
  uncompressAsync(block: Uint8Array): Promise<Uint8Array>
}

/** The codec over one library. It has no levels. */
export function snappyFrom(lib: SnappyLibrary): Codec {
  return {
    name: 'snappy',
    library: lib.library,
    compress: (bytes) => xerialStream(xerialPieces(bytes).map((piece) => lib.compress(piece))),
    compressAsync: async (bytes) =>
      xerialStream(await Promise.all(xerialPieces(bytes).map((piece) => lib.compressAsync(piece)))),
    decompress: (bytes, limits) =>
      guarded('snappy', () => {
        const found = foundBlocks(bytes, limits)
        return assembled(
          found.blocks.map((block) => lib.uncompress(block)),
          found,
        )
      }),
    decompressAsync: (bytes, limits) =>
      guardedAsync('snappy', async () => {
        const found = foundBlocks(bytes, limits)
        return assembled(await Promise.all(found.blocks.map((block) => lib.uncompressAsync(block))), found)
      }),
  }
}

function foundBlocks(bytes: Uint8Array, limits: DecompressLimits): SnappyBlocks {
  if (bytes.length === 0) throw badCompression('snappy', 'there are no bytes')
  return xerialBlocks(bytes, limits)
}

function assembled(parts: readonly Uint8Array[], found: SnappyBlocks): Uint8Array {
  if (parts.some((part, n) => part.length !== found.sizes[n])) {
    throw badCompression('snappy', 'a block has another length than it declares')
  }
  return joined(parts, found.sizeInBytes)
}

interface NativeModule {
  compressSync(bytes: Uint8Array, options: { copyOutputData: boolean }): Uint8Array
  compress(bytes: Uint8Array): Promise<Uint8Array>
  uncompressSync(block: Uint8Array, options: { asBuffer: true; copyOutputData: boolean }): Uint8Array
  uncompress(block: Uint8Array, options: { asBuffer: true }): Promise<Uint8Array>
}

// Sync results are copied into V8's memory: external buffers are let go only
// on later turns of the event loop, so a loop of calls would pile them up.
const COPY = { copyOutputData: true }

/** The package `snappy` (native, async on libuv's pool). */
export async function nativeSnappy(): Promise<SnappyLibrary> {
  const module = (await importPackage('snappy')) as NativeModule
  return {
    library: 'snappy',
    compress: (bytes) => module.compressSync(bytes, COPY),
    compressAsync: (bytes) => module.compress(bytes),
    uncompress: (block) => module.uncompressSync(block, { asBuffer: true, ...COPY }),
    uncompressAsync: (block) => module.uncompress(block, { asBuffer: true }),
  }
}

interface ScriptModule {
  compress(bytes: Uint8Array): Uint8Array
  uncompress(block: Uint8Array): Uint8Array
}

/** The package `snappyjs`, which does not check what it reads; all on the caller's turn. */
export async function scriptSnappy(): Promise<SnappyLibrary> {
  const module = (await importPackage('snappyjs')) as ScriptModule
  const uncompress = (block: Uint8Array): Uint8Array => {
    if (!isSnappyBlock(block)) throw badCompression('snappy', 'a block is no snappy block')
    return module.uncompress(block)
  }
  return {
    library: 'snappyjs',
    compress: (bytes) => module.compress(bytes),
    compressAsync: async (bytes) => module.compress(bytes),
    uncompress,
    uncompressAsync: async (block) => uncompress(block),
  }
}
