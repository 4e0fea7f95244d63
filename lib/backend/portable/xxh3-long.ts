/** XXH3 of more than 16 bytes: in pairs of 16 up to 240, above that in eight lanes. */

import {
  avalanche,
  folded,
  PRIME32,
  PRIME64,
  read64,
  SECRET,
  SECRET_SIZE,
  u64,
  type Wide,
} from './xxh3-arithmetic.js'

const LEAST_SECRET_SIZE = 136
const STRIPE = 64
const SECRET_STEP = 8
const STRIPES_A_BLOCK = (SECRET_SIZE - STRIPE) / SECRET_STEP

export function hash17to128(key: DataView): Wide {
  const size = key.byteLength
  let sum: Wide = { low: u64(BigInt(size) * PRIME64[0]), high: 0n }
  for (let n = Math.ceil(size / 32) - 1; n >= 0; n--)
    sum = mix32(sum, key, 16 * n, size - 16 * (n + 1), 32 * n)
  return finish(sum, size)
}

export function hash129to240(key: DataView): Wide {
  const size = key.byteLength
  let sum: Wide = { low: u64(BigInt(size) * PRIME64[0]), high: 0n }
  for (let n = 0; n < 4; n++) sum = mix32(sum, key, 32 * n, 32 * n + 16, 32 * n)
  sum = { low: avalanche(sum.low), high: avalanche(sum.high) }
  for (let n = 4; n < Math.floor(size / 32); n++) sum = mix32(sum, key, 32 * n, 32 * n + 16, 3 + 32 * (n - 4))
  return finish(mix32(sum, key, size - 16, size - 32, LEAST_SECRET_SIZE - 17 - 16), size)
}

export function hashLong(key: DataView): Wide {
  const size = key.byteLength
  const lanes = BigUint64Array.of(PRIME32[2], ...PRIME64.slice(0, 4), PRIME32[1], PRIME64[4], PRIME32[0])
  const stripes = Math.floor((size - 1) / STRIPE)
  for (let n = 0; n < stripes; n++) {
    const inBlock = n % STRIPES_A_BLOCK
    accumulate(lanes, key, STRIPE * n, SECRET_STEP * inBlock)
    if (inBlock === STRIPES_A_BLOCK - 1) scramble(lanes)
  }
  accumulate(lanes, key, size - STRIPE, SECRET_SIZE - STRIPE - 7)
  return {
    low: merged(lanes, 11, BigInt(size) * PRIME64[0]),
    high: merged(lanes, SECRET_SIZE - STRIPE - 11, ~(BigInt(size) * PRIME64[1])),
  }
}

function mix32({ low, high }: Wide, key: DataView, at: number, other: number, secretAt: number): Wide {
  return {
    low: u64(low + mix16(key, at, secretAt)) ^ u64(read64(key, other) + read64(key, other + 8)),
    high: u64(high + mix16(key, other, secretAt + 16)) ^ u64(read64(key, at) + read64(key, at + 8)),
  }
}

function mix16(key: DataView, at: number, secretAt: number): bigint {
  const low = read64(key, at) ^ read64(SECRET, secretAt)
  return folded(low, read64(key, at + 8) ^ read64(SECRET, secretAt + 8))
}

function finish({ low, high }: Wide, size: number): Wide {
  const mixed = low * PRIME64[0] + high * PRIME64[3] + BigInt(size) * PRIME64[1]
  return { low: avalanche(u64(low + high)), high: u64(-avalanche(u64(mixed))) }
}

function accumulate(lanes: BigUint64Array, key: DataView, at: number, secretAt: number): void {
  for (let i = 0; i < 8; i++) {
    const word = read64(key, at + 8 * i)
    const mixed = word ^ read64(SECRET, secretAt + 8 * i)
    const other = i ^ 1
    lanes[other] = (lanes[other] as bigint) + word
    lanes[i] = (lanes[i] as bigint) + (mixed & 0xffff_ffffn) * (mixed >> 32n)
  }
}

function scramble(lanes: BigUint64Array): void {
  for (let i = 0; i < 8; i++) {
    const lane = lanes[i] as bigint
    lanes[i] = (lane ^ (lane >> 47n) ^ read64(SECRET, SECRET_SIZE - STRIPE + 8 * i)) * PRIME32[0]
  }
}

function merged(lanes: BigUint64Array, secretAt: number, start: bigint): bigint {
  let sum = start
  for (let i = 0; i < 8; i += 2) {
    const low = (lanes[i] as bigint) ^ read64(SECRET, secretAt + 8 * i)
    sum += folded(low, (lanes[i + 1] as bigint) ^ read64(SECRET, secretAt + 8 * i + 8))
  }
  return avalanche(u64(sum))
}
