/**
 * XXH32, the checksum of lz4 frames, in plain TypeScript.
 *
 * All arithmetic is modulo 2^32, words are little-endian. Serves the two-byte
 * frame descriptor always, and block and content checksums where no native
 * implementation is installed.
 */

const PRIME_1 = 0x9e3779b1 | 0
const PRIME_2 = 0x85ebca77 | 0
const PRIME_3 = 0xc2b2ae3d | 0
const PRIME_4 = 0x27d4eb2f | 0
const PRIME_5 = 0x165667b1 | 0

const STRIPE = 16

/** XXH32 of `bytes`, as an unsigned number. */
export function xxh32(bytes: Uint8Array, seed = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const stripesEnd = bytes.length - (bytes.length % STRIPE)
  let hash = stripesEnd === 0 ? (seed + PRIME_5) | 0 : stripes(view, stripesEnd, seed)
  hash = tail(view, stripesEnd, (hash + bytes.length) | 0)
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2)
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3)
  return (hash ^ (hash >>> 16)) >>> 0
}

function stripes(view: DataView, end: number, seed: number): number {
  let a = (seed + PRIME_1 + PRIME_2) | 0
  let b = (seed + PRIME_2) | 0
  let c = seed | 0
  let d = (seed - PRIME_1) | 0
  for (let at = 0; at < end; at += STRIPE) {
    a = round(a, view.getInt32(at, true))
    b = round(b, view.getInt32(at + 4, true))
    c = round(c, view.getInt32(at + 8, true))
    d = round(d, view.getInt32(at + 12, true))
  }
  return (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0
}

/** The last 0 to 15 bytes: words, then single bytes. */
function tail(view: DataView, from: number, start: number): number {
  let hash = start
  let at = from
  for (; at + 4 <= view.byteLength; at += 4) {
    hash = Math.imul(rotate((hash + Math.imul(view.getInt32(at, true), PRIME_3)) | 0, 17), PRIME_4)
  }
  for (; at < view.byteLength; at++) {
    hash = Math.imul(rotate((hash + Math.imul(view.getUint8(at), PRIME_5)) | 0, 11), PRIME_1)
  }
  return hash
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1)
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
