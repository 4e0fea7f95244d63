/** What all lengths of XXH3 share: constants, the default secret, and arithmetic modulo 2^64. */

export interface Wide {
  readonly low: bigint
  readonly high: bigint
}

export const PRIME32 = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn] as const
export const PRIME64 = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const
const MIX_1 = 0x165667919e3779f9n

export const SECRET_SIZE = 192
const secretBytes = Uint8Array.from(
  (
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f' +
    'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c' +
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8' +
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364' +
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e' +
    '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e'
  ).match(/../g) ?? [],
  (hex) => Number.parseInt(hex, 16),
)
export const SECRET = new DataView(secretBytes.buffer)

export function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value)
}

export function read32(view: DataView, at: number): bigint {
  return BigInt(view.getUint32(at, true))
}

export function read64(view: DataView, at: number): bigint {
  return view.getBigUint64(at, true)
}

export function secret32(at: number): bigint {
  return read32(SECRET, at)
}

export function secretPair(at: number): bigint {
  return read64(SECRET, at) ^ read64(SECRET, at + 8)
}

export function swap32(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
}

export function swap64(word: bigint): bigint {
  const low = swap32(Number(word & 0xffff_ffffn))
  const high = swap32(Number(word >> 32n))
  return (BigInt(low) << 32n) | BigInt(high)
}

/** Both halves of the product of two words, one over the other. */
export function folded(a: bigint, b: bigint): bigint {
  const product = a * b
  return u64(product) ^ (product >> 64n)
}

export function avalanche(hash: bigint): bigint {
  const mixed = u64((hash ^ (hash >> 37n)) * MIX_1)
  return mixed ^ (mixed >> 32n)
}

/** Of XXH64. */
export function oldAvalanche(hash: bigint): bigint {
  let mixed = u64((hash ^ (hash >> 33n)) * PRIME64[1])
  mixed = u64((mixed ^ (mixed >> 29n)) * PRIME64[2])
  return mixed ^ (mixed >> 32n)
}
