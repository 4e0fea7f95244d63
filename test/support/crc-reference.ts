/**
 * Checksums a bit at a time, straight from their definition: slow, and right
 * by inspection. The measure for every faster one.
 */
const CASTAGNOLI = 0x82f63b78
const IEEE = 0xedb88320

export function referenceCrc32c(bytes: Uint8Array): number {
  return divide(bytes, CASTAGNOLI)
}

export function referenceCrc32(bytes: Uint8Array): number {
  return divide(bytes, IEEE)
}

function divide(bytes: Uint8Array, polynomial: number): number {
  let register = 0xffffffff
  for (const byte of bytes) {
    register ^= byte
    for (let bit = 0; bit < 8; bit++) register = register & 1 ? (register >>> 1) ^ polynomial : register >>> 1
  }
  return ~register >>> 0
}
