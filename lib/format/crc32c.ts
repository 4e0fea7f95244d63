/**
 * CRC-32C by sixteen tables, one for each byte of a step ("slicing"), several
 * times as fast as a loop over single bytes.
 *
 * The sum is passed in and out, so that a batch larger than a buffer is summed
 * piece by piece. CRC-32 (IEEE), which older formats use, is node:zlib's.
 */

const REFLECTED_CASTAGNOLI = 0x82f63b78
const STEP = 16
const TABLES = sliceTables()

/** CRC-32C of `bytes[start, end)`, going on from the sum `previous`; an unsigned number. */
export function crc32c(bytes: Uint8Array, start: number, end: number, previous = 0): number {
  const whole = end - ((end - start) % STEP)
  const register = sumSteps(~previous, bytes, start, whole)
  return ~sumBytes(register, bytes, whole, end) >>> 0
}

/** One table behind the other; table k tells what a byte does to the sum with k bytes behind it. */
function sliceTables(): Int32Array {
  const tables = new Int32Array(STEP * 256)
  for (let value = 0; value < 256; value++) {
    let sum = value
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ REFLECTED_CASTAGNOLI : sum >>> 1
    tables[value] = sum
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256] as number
    tables[i] = (before >>> 8) ^ (tables[before & 255] as number)
  }
  return tables
}

function sumBytes(register: number, bytes: Uint8Array, start: number, end: number): number {
  let crc = register
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ entry((crc ^ byte(bytes, i)) & 255)
  return crc
}

// Written out, so that speed does not hang on the engine unrolling an inner loop.
function sumSteps(register: number, b: Uint8Array, start: number, end: number): number {
  let crc = register
  for (let i = start; i < end; i += STEP) {
    crc ^= byte(b, i) | (byte(b, i + 1) << 8) | (byte(b, i + 2) << 16) | (byte(b, i + 3) << 24)
    crc =
      entry(0xf00 | (crc & 255)) ^
      entry(0xe00 | ((crc >>> 8) & 255)) ^
      entry(0xd00 | ((crc >>> 16) & 255)) ^
      entry(0xc00 | (crc >>> 24)) ^
      entry(0xb00 | byte(b, i + 4)) ^
      entry(0xa00 | byte(b, i + 5)) ^
      entry(0x900 | byte(b, i + 6)) ^
      entry(0x800 | byte(b, i + 7)) ^
      entry(0x700 | byte(b, i + 8)) ^
      entry(0x600 | byte(b, i + 9)) ^
      entry(0x500 | byte(b, i + 10)) ^
      entry(0x400 | byte(b, i + 11)) ^
      entry(0x300 | byte(b, i + 12)) ^
      entry(0x200 | byte(b, i + 13)) ^
      entry(0x100 | byte(b, i + 14)) ^
      entry(byte(b, i + 15))
  }
  return crc
}

// Two readers of elements, not one: a load that sees one kind of array is the fast one.
function entry(index: number): number {
  return TABLES[index] as number
}

/** The loops' bounds have shown that it is there. */
function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] as number
}
