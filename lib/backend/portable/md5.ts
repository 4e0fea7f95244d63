/**
 * MD5 (RFC 1321) of a stretch of bytes. For the short keys of records:
 * node:crypto takes ten times as long for one, most of it to make its object.
 */

const SHIFT_WORDS = 16
/** Bytes of a block, and of its words at the end that hold the length in bits. */
const BLOCK = 64
const LENGTH_BYTES = 8

/** The algorithm's constants: the sines of 1 to 64. */
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))

const block = new Int32Array(SHIFT_WORDS)
const state = new Int32Array(4)
const last = new Uint8Array(2 * BLOCK)

/** Sets `words[0..3]` to the digest of `bytes[from, from + size)`: its bytes, read big-endian. */
export function md5(bytes: Uint8Array, from: number, size: number, words: Int32Array): void {
  state[0] = 0x67452301
  state[1] = 0xefcdab89
  state[2] = 0x98badcfe
  state[3] = 0x10325476
  const whole = size - (size % BLOCK)
  for (let at = from; at < from + whole; at += BLOCK) mix(bytes, at)
  mixEnd(bytes, from + whole, size)
  for (let i = 0; i < 4; i++) words[i] = swapped(state[i] as number)
}

/** The last bytes, then the bit that ends them, zeros, and the length. */
function mixEnd(bytes: Uint8Array, from: number, size: number): void {
  const left = size % BLOCK
  const end = left + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK
  for (let i = 0; i < left; i++) last[i] = bytes[from + i] as number
  last[left] = 0x80
  last.fill(0, left + 1, end)
  const lengthAt = end - LENGTH_BYTES
  const low = size * 8
  const high = Math.floor(size / 2 ** 29)
  for (let i = 0; i < 4; i++) {
    last[lengthAt + i] = low >>> (8 * i)
    last[lengthAt + 4 + i] = high >>> (8 * i)
  }
  for (let at = 0; at < end; at += BLOCK) mix(last, at)
}

/** Four rounds of sixteen steps; four steps bring the words back to their places. */
function mix(bytes: Uint8Array, from: number): void {
  for (let i = 0; i < 16; i++) block[i] = littleEndian(bytes, from + 4 * i)
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  for (let i = 0; i < 16; i += 4) {
    a = step(a + ((b & c) | (~b & d)), b, i, i, 7)
    d = step(d + ((a & b) | (~a & c)), a, i + 1, i + 1, 12)
    c = step(c + ((d & a) | (~d & b)), d, i + 2, i + 2, 17)
    b = step(b + ((c & d) | (~c & a)), c, i + 3, i + 3, 22)
  }
  for (let i = 16; i < 32; i += 4) {
    a = step(a + ((b & d) | (c & ~d)), b, i, 5 * i + 1, 5)
    d = step(d + ((a & c) | (b & ~c)), a, i + 1, 5 * i + 6, 9)
    c = step(c + ((d & b) | (a & ~b)), d, i + 2, 5 * i + 11, 14)
    b = step(b + ((c & a) | (d & ~a)), c, i + 3, 5 * i, 20)
  }
  for (let i = 32; i < 48; i += 4) {
    a = step(a + (b ^ c ^ d), b, i, 3 * i + 5, 4)
    d = step(d + (a ^ b ^ c), a, i + 1, 3 * i + 8, 11)
    c = step(c + (d ^ a ^ b), d, i + 2, 3 * i + 11, 16)
    b = step(b + (c ^ d ^ a), c, i + 3, 3 * i + 14, 23)
  }
  for (let i = 48; i < 64; i += 4) {
    a = step(a + (c ^ (b | ~d)), b, i, 7 * i, 6)
    d = step(d + (b ^ (a | ~c)), a, i + 1, 7 * i + 7, 10)
    c = step(c + (a ^ (d | ~b)), d, i + 2, 7 * i + 14, 15)
    b = step(b + (d ^ (c | ~a)), c, i + 3, 7 * i + 21, 21)
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
}

function step(sum: number, next: number, sine: number, word: number, bits: number): number {
  const value = ((sum | 0) + (block[word & 15] as number) + (SINES[sine] as number)) | 0
  return (next + ((value << bits) | (value >>> (32 - bits)))) | 0
}

function littleEndian(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
}
