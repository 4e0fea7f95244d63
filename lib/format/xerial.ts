/**
 * The framing of snappy data as a broker writes it (snappy-java's stream).
 *
 *   82 'SNAPPY' 00 | int32 version 1 | int32 least compatible version 1
 *   then blocks: int32 length | raw snappy block of at most 32 KiB of input
 *
 * A reader goes by the first eight bytes alone: some writers put the versions
 * in little-endian order. Data without them is one raw block. Streams that
 * were joined (a header where a block's length would be) are read as one.
 */

import { badCompression, type DecompressLimits, tooLarge } from './compression.js'
import { snappyBlockLength } from './snappy-block.js'

const MAGIC = Uint8Array.of(0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00)
const HEADER_BYTES = 16
const LENGTH_BYTES = 4

/** Input bytes of a block that we write. */
export const XERIAL_BLOCK_BYTES = 32 * 1024

/** The pieces of `bytes` to compress, one a block; views. */
export function xerialPieces(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += XERIAL_BLOCK_BYTES) {
    pieces.push(bytes.subarray(at, at + XERIAL_BLOCK_BYTES))
  }
  return pieces
}

/** A whole stream of compressed blocks; a copy. */
export function xerialStream(blocks: readonly Uint8Array[]): Uint8Array {
  const size = blocks.reduce((sum, block) => sum + LENGTH_BYTES + block.length, HEADER_BYTES)
  const stream = new Uint8Array(size)
  const view = new DataView(stream.buffer)
  stream.set(MAGIC)
  view.setInt32(8, 1)
  view.setInt32(12, 1)
  let at = HEADER_BYTES
  for (const block of blocks) {
    view.setInt32(at, block.length)
    stream.set(block, at + LENGTH_BYTES)
    at += LENGTH_BYTES + block.length
  }
  return stream
}

/** Blocks of a stream, and what they say they decompress to. */
export interface SnappyBlocks {
  /** Views of the stream. */
  readonly blocks: readonly Uint8Array[]
  /** Declared output bytes of each block; possible for its size. */
  readonly sizes: readonly number[]
  /** Their sum, within the limit. */
  readonly sizeInBytes: number
}

/** Finds the blocks; throws where lengths are impossible or the sum is above the limit. */
export function xerialBlocks(bytes: Uint8Array, limits: DecompressLimits): SnappyBlocks {
  const blocks = hasMagic(bytes, 0) ? framedBlocks(bytes) : [bytes]
  const sizes: number[] = []
  let sizeInBytes = 0
  for (const block of blocks) {
    const size = snappyBlockLength(block)
    if (size < 0) throw badCompression('snappy', 'a block declares no length that it could have')
    sizes.push(size)
    sizeInBytes += size
  }
  if (sizeInBytes > limits.maxBytes) throw tooLarge('snappy', limits, sizeInBytes)
  return { blocks, sizes, sizeInBytes }
}

function framedBlocks(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blocks: Uint8Array[] = []
  let at = 0
  while (at < bytes.length) {
    if (hasMagic(bytes, at)) {
      at += HEADER_BYTES
      if (at > bytes.length) throw badCompression('snappy', 'the stream header is cut off')
      continue
    }
    if (at + LENGTH_BYTES > bytes.length) throw badCompression('snappy', 'a block length is cut off')
    const start = at + LENGTH_BYTES
    const length = view.getInt32(at)
    if (length < 0 || length > bytes.length - start) {
      throw badCompression('snappy', `a block claims ${length} bytes, ${bytes.length - start} are left`)
    }
    blocks.push(bytes.subarray(start, start + length))
    at = start + length
  }
  return blocks
}

function hasMagic(bytes: Uint8Array, at: number): boolean {
  return MAGIC.every((byte, n) => bytes[at + n] === byte)
}
