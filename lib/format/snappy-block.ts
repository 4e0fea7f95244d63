/**
 * The shape of a raw snappy block: how long it says it is, and whether it is
 * sound. Libraries do the work; a block is looked at here first, so that a
 * library that trusts its input gets none that it should not.
 *
 *   varint length of the output | elements, low 2 bits of the first byte:
 *     0 literal (length in the upper bits, or in 1 to 4 bytes that follow)
 *     1, 2, 3 copy with an offset of 11, 16 or 32 bits
 */

/** 64 bytes are the most that one element (of at least 3 bytes) can copy. */
const MAX_EXPANSION = 22

/**
 * Output length that the block declares, or -1 where it declares none or one
 * that its bytes cannot give (so nothing huge is allocated for a lie).
 */
export function snappyBlockLength(block: Uint8Array): number {
  let length = 0
  for (let at = 0, factor = 1; at < 5; at++, factor *= 128) {
    const byte = block[at]
    if (byte === undefined) return -1
    length += (byte & 0x7f) * factor
    if (byte < 0x80) return length <= (block.length - at) * MAX_EXPANSION && length < 2 ** 32 ? length : -1
  }
  return -1
}

/**
 * Whether every element of the block lies within it, copies only what is
 * there, and all together give the declared length.
 */
export function isSnappyBlock(block: Uint8Array): boolean {
  const length = snappyBlockLength(block)
  if (length < 0) return false
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  let at = headerSize(block)
  let written = 0
  while (at < block.length) {
    const tag = block[at]!
    const kind = tag & 3
    const trailer = kind === 0 ? literalTrailer(tag) : kind === 3 ? 4 : kind
    if (at + 1 + trailer > block.length) return false
    const size =
      kind === 0 ? literalSize(view, at, tag, trailer) : kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    if (kind !== 0 && !copies(offset(view, at, tag, kind), written)) return false
    at += 1 + trailer + (kind === 0 ? size : 0)
    written += size
    if (written > length) return false
  }
  return at === block.length && written === length
}

function headerSize(block: Uint8Array): number {
  let size = 1
  while (block[size - 1]! >= 0x80) size++
  return size
}

/** Bytes after the tag that hold a literal's length: none below 60. */
function literalTrailer(tag: number): number {
  return Math.max(0, (tag >>> 2) - 59)
}

function literalSize(view: DataView, at: number, tag: number, trailer: number): number {
  if (trailer === 0) return (tag >>> 2) + 1
  let size = 0
  for (let n = trailer; n > 0; n--) size = size * 256 + view.getUint8(at + n)
  return size + 1
}

function offset(view: DataView, at: number, tag: number, kind: number): number {
  if (kind === 1) return ((tag >>> 5) << 8) | view.getUint8(at + 1)
  return kind === 2 ? view.getUint16(at + 1, true) : view.getUint32(at + 1, true)
}

function copies(offset: number, written: number): boolean {
  return offset > 0 && offset <= written
}
