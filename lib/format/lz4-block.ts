/**
 * The shape of a raw lz4 block: what it decompresses to, and whether it is
 * sound. A block does not say its length, so it is found by walking the
 * sequences; libraries then get an exact size, and no block that would read
 * or write outside of it.
 *
 *   sequence: token (high 4 bits literals, low 4 match length - 4; 15 goes on
 *   in further bytes) | literals | uint16 LE offset | ; the last has no match
 */

/** Shortest match. */
const MIN_MATCH = 4

export interface Lz4BlockShape {
  /** Output bytes. */
  readonly length: number
  /** Position, in the block, of the last sequence that has a match; -1 for none. */
  readonly lastSequence: number
  /** Where in the output that sequence's literals begin, and its match. */
  readonly lastLiteralsAt: number
  readonly lastMatchAt: number
}

/** The shape of `block`, or null where it is damaged or gives more than `maxBytes`. */
export function lz4BlockShape(block: Uint8Array, maxBytes: number): Lz4BlockShape | null {
  const end = block.length
  let [lastSequence, lastLiteralsAt, lastMatchAt] = [-1, 0, 0]
  let at = 0
  let length = 0
  while (at < end) {
    const start = at
    const token = block[at++]!
    let literals = token >>> 4
    if (literals === 15) {
      let more = 255
      while (more === 255 && at < end) literals += more = block[at++]!
    }
    const literalsAt = length
    at += literals
    length += literals
    // The end right after literals is the regular one.
    if (at === end) return length <= maxBytes ? { length, lastSequence, lastLiteralsAt, lastMatchAt } : null
    if (at + 2 > end) return null
    const offset = block[at]! | (block[at + 1]! << 8)
    at += 2
    if (offset === 0 || offset > length) return null
    ;[lastSequence, lastLiteralsAt, lastMatchAt] = [start, literalsAt, length]
    let match = token & 15
    if (match === 15) {
      let more = 255
      while (more === 255 && at < end) match += more = block[at++]!
    }
    length += match + MIN_MATCH
    if (length > maxBytes) return null
  }
  return null
}
