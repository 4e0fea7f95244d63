/**
 * XXH3, 128 bits, seed 0, with the default secret, from its public
 * specification: short keys here, longer ones in xxh3-long.ts. Made to be
 * right: arithmetic of 64 bits is bigint's, so MD5 is the faster hash here.
 */

import {
  avalanche,
  oldAvalanche,
  PRIME32,
  PRIME64,
  read32,
  read64,
  secret32,
  secretPair,
  swap32,
  swap64,
  u64,
  type Wide,
} from './xxh3-arithmetic.js'
import { hash17to128, hash129to240, hashLong } from './xxh3-long.js'

const MIX_2 = 0x9fb21c651e98df25n

/** Sets `words[0..3]` to the hash of `bytes[from, from + size)`: its canonical bytes, read big-endian. */
export function xxh3(bytes: Uint8Array, from: number, size: number, words: Int32Array): void {
  const key = new DataView(bytes.buffer, bytes.byteOffset + from, size)
  const { low, high } = hashOf(key)
  words[0] = Number(high >> 32n)
  words[1] = Number(high & 0xffff_ffffn)
  words[2] = Number(low >> 32n)
  words[3] = Number(low & 0xffff_ffffn)
}

function hashOf(key: DataView): Wide {
  const size = key.byteLength
  if (size === 0) return { low: oldAvalanche(secretPair(64)), high: oldAvalanche(secretPair(80)) }
  if (size <= 3) return hash1to3(key)
  if (size <= 8) return hash4to8(key)
  if (size <= 16) return hash9to16(key)
  if (size <= 128) return hash17to128(key)
  return size <= 240 ? hash129to240(key) : hashLong(key)
}

function hash1to3(key: DataView): Wide {
  const size = key.byteLength
  const [first, middle, last] = [key.getUint8(0), key.getUint8(size >> 1), key.getUint8(size - 1)]
  const low = ((first << 16) | (middle << 24) | last | (size << 8)) >>> 0
  const swapped = swap32(low)
  const high = ((swapped << 13) | (swapped >>> 19)) >>> 0
  return {
    low: oldAvalanche(BigInt(low) ^ secret32(0) ^ secret32(4)),
    high: oldAvalanche(BigInt(high) ^ secret32(8) ^ secret32(12)),
  }
}

function hash4to8(key: DataView): Wide {
  const size = key.byteLength
  const word = read32(key, 0) | (read32(key, size - 4) << 32n)
  const product = (word ^ secretPair(16)) * u64(PRIME64[0] + BigInt(size << 2))
  let low = u64(product)
  const high = u64((product >> 64n) + (low << 1n))
  low ^= high >> 3n
  low = u64((low ^ (low >> 35n)) * MIX_2)
  return { low: low ^ (low >> 28n), high: avalanche(high) }
}

function hash9to16(key: DataView): Wide {
  const size = key.byteLength
  const first = read64(key, 0)
  const last = read64(key, size - 8)
  const product = (first ^ last ^ secretPair(32)) * PRIME64[0]
  const flipped = last ^ secretPair(48)
  const high = u64((product >> 64n) + flipped + (flipped & 0xffff_ffffn) * (PRIME32[1] - 1n))
  const low = u64(product + (BigInt(size - 1) << 54n)) ^ swap64(high)
  const mixed = low * PRIME64[1]
  return {
    low: avalanche(u64(mixed)),
    high: avalanche(u64((mixed >> 64n) + high * PRIME64[1])),
  }
}
