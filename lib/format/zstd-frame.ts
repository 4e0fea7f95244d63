/**
 * The outline of zstd data: its frames, and what each can decompress to at
 * most. Read from frame and block headers alone, so that neither a declared
 * size nor a tiny frame of runs decides how much memory is taken.
 *
 *   frame: FD2FB528 LE | descriptor | [window] | [dictionary id] | [content
 *   size] | blocks | [checksum];  block: 3 bytes LE: last, type, size | bytes
 *
 * Skippable frames are stepped over. Verifying content is the library's part.
 */

import { UnsupportedError } from '../errors.js'
import { badCompression } from './compression.js'

const MAGIC = 0xfd2fb528
const SKIPPABLE = 0x184d2a50

const MAX_BLOCK_BYTES = 128 * 1024
const BLOCK_HEADER_BYTES = 3
const RAW = 0
const RUN = 1
const RESERVED = 3

export interface ZstdFrame {
  /** The whole frame; a view. */
  readonly bytes: Uint8Array
  /** What the frame declares; never above `maxBytes` of this frame. */
  readonly contentBytes: number | undefined
  /** No decoder can get more out of its blocks. */
  readonly maxBytes: number
}

/** The frames of `bytes`, which must end with one; none where all are skippable. */
export function zstdFrames(bytes: Uint8Array): ZstdFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames: ZstdFrame[] = []
  let at = 0
  do {
    need(view, at, 4)
    const magic = view.getUint32(at, true)
    if ((magic & ~0xf) >>> 0 === SKIPPABLE) {
      need(view, at, 8)
      at += 8 + view.getUint32(at + 4, true)
      if (at > bytes.length) throw cutOff()
      continue
    }
    if (magic !== MAGIC) throw badCompression('zstd', 'it does not begin as a zstd frame does')
    const frame = readFrame(view, bytes, at)
    frames.push(frame)
    at += frame.bytes.length
  } while (at < bytes.length)
  return frames
}

function readFrame(view: DataView, bytes: Uint8Array, start: number): ZstdFrame {
  const header = readHeader(view, start)
  const blockLimit = Math.min(header.windowBytes, MAX_BLOCK_BYTES)
  let at = header.end
  let maxBytes = 0
  for (let last = false; !last; ) {
    need(view, at, BLOCK_HEADER_BYTES)
    const word = view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
    const [type, size] = [(word >>> 1) & 3, word >>> 3]
    last = (word & 1) === 1
    if (type === RESERVED || size > blockLimit) throw badCompression('zstd', 'a block header is impossible')
    maxBytes += type === RAW || type === RUN ? size : blockLimit
    const stored = BLOCK_HEADER_BYTES + (type === RUN ? 1 : size)
    need(view, at, stored)
    at += stored
  }
  if (header.hasChecksum) {
    need(view, at, 4)
    at += 4
  }
  const contentBytes = header.contentBytes
  if (contentBytes !== undefined && contentBytes > maxBytes) {
    throw badCompression(
      'zstd',
      `a frame declares ${contentBytes} bytes, its blocks hold at most ${maxBytes}`,
    )
  }
  return { bytes: bytes.subarray(start, at), contentBytes, maxBytes }
}

interface Header {
  /** Position of the first block. */
  readonly end: number
  readonly windowBytes: number
  readonly contentBytes: number | undefined
  readonly hasChecksum: boolean
}

function readHeader(view: DataView, start: number): Header {
  need(view, start, 5)
  const descriptor = view.getUint8(start + 4)
  const singleSegment = (descriptor & 0x20) !== 0
  if (descriptor & 0x08) throw badCompression('zstd', 'a reserved bit of a frame header is set')
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!
  const sizeFlag = descriptor >>> 6
  const sizeBytes = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag
  const windowAt = start + 5
  const dictionaryAt = windowAt + (singleSegment ? 0 : 1)
  const sizeAt = dictionaryAt + dictionaryBytes
  need(view, sizeAt, sizeBytes)
  refuseDictionary(view, dictionaryAt, dictionaryBytes)
  const contentBytes = readContentBytes(view, sizeAt, sizeBytes)
  return {
    end: sizeAt + sizeBytes,
    windowBytes: singleSegment ? contentBytes! : readWindow(view.getUint8(windowAt)),
    contentBytes,
    hasChecksum: (descriptor & 0x04) !== 0,
  }
}

/** Exponent in the upper five bits, eighths in the lower three. */
function readWindow(byte: number): number {
  const base = 2 ** (10 + (byte >>> 3))
  return base + (base / 8) * (byte & 7)
}

function readContentBytes(view: DataView, at: number, sizeBytes: number): number | undefined {
  switch (sizeBytes) {
    case 0:
      return undefined
    case 1:
      return view.getUint8(at)
    case 2:
      return view.getUint16(at, true) + 256
    case 4:
      return view.getUint32(at, true)
    default:
      // Rounded above 2^53, where only "far too much" matters.
      return Number(view.getBigUint64(at, true))
  }
}

function refuseDictionary(view: DataView, at: number, size: number): void {
  for (let n = 0; n < size; n++) {
    if (view.getUint8(at + n) === 0) continue
    throw new UnsupportedError('ERR_UNSUPPORTED', 'zstd data made with a dictionary is not supported')
  }
}

function need(view: DataView, at: number, size: number): void {
  if (at + size > view.byteLength) throw cutOff()
}

function cutOff(): Error {
  return badCompression('zstd', 'a frame is cut off')
}
