/**
 * lz4: raw blocks by the native package `lz4-napi`, or by `lz4js`, under our
 * own frames. Neither has levels: a level is checked, and changes nothing.
 */

import { badCompression, type Codec, compressionLevel } from '../../format/compression.js'
import { type Lz4Blocks, lz4Blocks, lz4Frame, lz4Pieces } from '../../format/lz4-frame.js'
import { guarded, guardedAsync, joined } from './library.js'

/** Raw lz4 blocks. What is decompressed was found sound, and its length is exact. */
export interface Lz4Library {
  readonly library: string
  compress(bytes: Uint8Array): Uint8Array
  compressAsync(bytes: Uint8Array): Promise<Uint8Array>
  uncompress(block: Uint8Array, length: number): Uint8Array
  uncompressAsync(block: Uint8Array, length: number): Promise<Uint8Array>
}

/** XXH32 with seed 0, unsigned. */
export type Xxh32 = (bytes: Uint8Array) => number

/** The codec over one library. */
export function lz4From(lib: Lz4Library, hash: Xxh32): Codec {
  return {
    name: 'lz4',
    library: lib.library,
    compress(bytes, level) {
      compressionLevel('lz4', level)
      const pieces = lz4Pieces(bytes)
      return lz4Frame(
        pieces,
        pieces.map((piece) => lib.compress(piece)),
      )
    },
    async compressAsync(bytes, level) {
      compressionLevel('lz4', level)
      const pieces = lz4Pieces(bytes)
      return lz4Frame(pieces, await Promise.all(pieces.map((piece) => lib.compressAsync(piece))))
    },
    decompress: (bytes, limits) =>
      guarded('lz4', () => {
        const found = lz4Blocks(bytes, limits, hash)
        const parts = found.blocks.map((block) =>
          block.stored ? block.bytes : lib.uncompress(block.bytes, block.length),
        )
        return assembled(parts, found, hash)
      }),
    decompressAsync: (bytes, limits) =>
      guardedAsync('lz4', async () => {
        const found = lz4Blocks(bytes, limits, hash)
        const parts = found.blocks.map(async (block) =>
          block.stored ? block.bytes : lib.uncompressAsync(block.bytes, block.length),
        )
        return assembled(await Promise.all(parts), found, hash)
      }),
  }
}

function assembled(parts: readonly Uint8Array[], found: Lz4Blocks, hash: Xxh32): Uint8Array {
  if (parts.some((part, n) => part.length !== found.blocks[n]!.length)) {
    throw badCompression('lz4', 'a block decompresses to another length than its sequences give')
  }
  const content = joined(parts, found.sizeInBytes)
  if (found.contentChecksum !== undefined && found.contentChecksum !== hash(content)) {
    throw badCompression('lz4', 'the content checksum is wrong')
  }
  return content
}
