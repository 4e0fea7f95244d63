/**
 * lz4 frames as a broker writes and reads them.
 *
 *   04 22 4D 18 | FLG | BD | [int64 LE content size] | HC
 *   then blocks: uint32 LE size (top bit: stored as it is) | bytes | [XXH32]
 *   then uint32 0 | [XXH32 of the content]
 *
 * Written are independent blocks of 64 KiB without checksums. Of what is read
 * all checksums that a frame has are verified, but for the header's in magic
 * 0, whose writers computed it wrongly. Only the first frame counts; what may
 * follow it is not looked at, as in Kafka. Blocks are sound on return.
 */

import { UnsupportedError } from '../errors.js'
import { badCompression, type DecompressLimits, tooLarge } from './compression.js'
import { lz4BlockShape } from './lz4-block.js'
import { xxh32 } from './xxh32.js'

const MAGIC = 0x184d2204
const STORED = 0x8000_0000

// FLG: version in the two top bits (01), then these.
const VERSION_MASK = 0xc0
const VERSION_1 = 0x40
const INDEPENDENT = 0x20
const BLOCK_CHECKSUM = 0x10
const CONTENT_SIZE = 0x08
const CONTENT_CHECKSUM = 0x04
const FLG_RESERVED = 0x03
// BD: block size 4 to 7 (64 KiB, 256 KiB, 1 MiB, 4 MiB) in bits 4 to 6.
const BD_RESERVED = 0x8f
const BD_64_KIB = 4 << 4

const HEADER_BYTES = 7
const END_BYTES = 4
const SIZE_BYTES = 4
const CHECKSUM_BYTES = 4

/** Input bytes of a block that we write. */
export const LZ4_BLOCK_BYTES = 64 * 1024

/** The pieces of `bytes` to compress, one a block; views. */
export function lz4Pieces(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += LZ4_BLOCK_BYTES)
    pieces.push(bytes.subarray(at, at + LZ4_BLOCK_BYTES))
  return pieces
}

/** A whole frame of `pieces`, each with its raw lz4 block; stores a piece that did not get smaller. A copy. */
export function lz4Frame(pieces: readonly Uint8Array[], compressed: readonly Uint8Array[]): Uint8Array {
  const chosen = pieces.map((piece, n) => (compressed[n]!.length < piece.length ? compressed[n]! : piece))
  const size = chosen.reduce((sum, block) => sum + SIZE_BYTES + block.length, HEADER_BYTES + END_BYTES)
  const frame = new Uint8Array(size)
  const view = new DataView(frame.buffer)
  view.setUint32(0, MAGIC, true)
  frame[4] = VERSION_1 | INDEPENDENT
  frame[5] = BD_64_KIB
  frame[6] = headerChecksum(frame, 6)
  let at = HEADER_BYTES
  for (const [n, block] of chosen.entries()) {
    view.setUint32(at, block === pieces[n] ? block.length + STORED : block.length, true)
    frame.set(block, at + SIZE_BYTES)
    at += SIZE_BYTES + block.length
  }
  return frame
}

export interface Lz4Block {
  /** As in the frame; a view. */
  readonly bytes: Uint8Array
  readonly stored: boolean
  /** Output bytes. */
  readonly length: number
}

export interface Lz4Blocks {
  readonly blocks: readonly Lz4Block[]
  /** Output bytes of all, within the limit. */
  readonly sizeInBytes: number
  /** XXH32 of the content, where the frame has it: the caller's to verify. */
  readonly contentChecksum: number | undefined
}

/**
 * Finds and checks the blocks of a frame. Linked blocks give
 * `ERR_UNSUPPORTED`. `hash` is XXH32 with seed 0.
 */
export function lz4Blocks(
  bytes: Uint8Array,
  limits: DecompressLimits,
  hash = (of: Uint8Array) => xxh32(of),
): Lz4Blocks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header = readHeader(view, bytes, limits.magic)
  const blocks: Lz4Block[] = []
  let sizeInBytes = 0
  let at = header.size
  for (;;) {
    const word = readWord(view, at)
    at += SIZE_BYTES
    if (word % STORED === 0) break
    const size = word % STORED
    if (size > header.maxBlockBytes)
      throw bad(`a block claims ${size} bytes, at most ${header.maxBlockBytes} are allowed`)
    if (size > bytes.length - at) throw cutOff()
    const block = readBlock(bytes.subarray(at, at + size), word >= STORED, header.maxBlockBytes)
    at += size
    if (header.flags & BLOCK_CHECKSUM) {
      if (readWord(view, at) !== hash(block.bytes)) throw bad('a block checksum is wrong')
      at += CHECKSUM_BYTES
    }
    sizeInBytes += block.length
    if (sizeInBytes > limits.maxBytes) throw tooLarge('lz4', limits)
    blocks.push(block)
  }
  if (header.contentSize !== undefined && header.contentSize !== BigInt(sizeInBytes)) {
    throw bad(`the frame declares ${header.contentSize} bytes of content and has ${sizeInBytes}`)
  }
  return {
    blocks,
    sizeInBytes,
    contentChecksum: header.flags & CONTENT_CHECKSUM ? readWord(view, at) : undefined,
  }
}

interface Header {
  readonly flags: number
  readonly size: number
  readonly maxBlockBytes: number
  readonly contentSize: bigint | undefined
}

function readHeader(view: DataView, bytes: Uint8Array, magic: number): Header {
  if (bytes.length < HEADER_BYTES) throw cutOff()
  if (view.getUint32(0, true) !== MAGIC) throw bad('it does not begin as an lz4 frame does')
  const flags = view.getUint8(4)
  const blockFlags = view.getUint8(5)
  const hasSize = (flags & CONTENT_SIZE) !== 0
  const descriptorEnd = hasSize ? 14 : 6
  if (bytes.length <= descriptorEnd) throw cutOff()
  if (magic !== 0 && view.getUint8(descriptorEnd) !== headerChecksum(bytes, descriptorEnd)) {
    throw bad('the header checksum is wrong')
  }
  checkFlags(flags, blockFlags)
  return {
    flags,
    size: descriptorEnd + 1,
    maxBlockBytes: 1 << (8 + 2 * (blockFlags >>> 4)),
    contentSize: hasSize ? view.getBigUint64(6, true) : undefined,
  }
}

function checkFlags(flags: number, blockFlags: number): void {
  if ((flags & VERSION_MASK) !== VERSION_1) throw bad(`frame version ${flags >>> 6} is unknown`)
  if (flags & FLG_RESERVED || blockFlags & BD_RESERVED) throw bad('reserved bits of the header are set')
  if (blockFlags >>> 4 < 4) throw bad(`block size ${blockFlags >>> 4} is unknown`)
  if (flags & INDEPENDENT) return
  const message = 'lz4 frames with linked blocks are not supported (Kafka does not read them either)'
  throw new UnsupportedError('ERR_UNSUPPORTED', message)
}

function readBlock(bytes: Uint8Array, stored: boolean, maxBlockBytes: number): Lz4Block {
  if (stored) return { bytes, stored, length: bytes.length }
  const shape = lz4BlockShape(bytes, maxBlockBytes)
  if (shape === null) throw bad('a block is no lz4 block')
  return { bytes, stored, length: shape.length }
}

/** HC: the second byte of XXH32 over FLG up to itself. */
function headerChecksum(bytes: Uint8Array, end: number): number {
  return (xxh32(bytes.subarray(4, end)) >>> 8) & 0xff
}

function readWord(view: DataView, at: number): number {
  if (at + 4 > view.byteLength) throw cutOff()
  return view.getUint32(at, true)
}

function bad(why: string): Error {
  return badCompression('lz4', why)
}

function cutOff(): Error {
  return bad('the frame is cut off')
}
