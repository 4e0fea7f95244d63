/**
 * Whether a Linux binary is whole: loading one that was cut off while it was
 * copied can end the process with a bus error instead of a message.
 *
 * 64-bit little-endian ELF: section headers lie at the end of the file.
 *   at 0x28 int64 their position | at 0x3a int16 size of one | at 0x3c int16 count
 */

const ELF_64_LITTLE_ENDIAN = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1])
const SECTION_HEADERS_AT = 0x28
const SECTION_HEADER_SIZE_AT = 0x3a
const SECTION_COUNT_AT = 0x3c
const HEADER_BYTES = 0x40

/** False for files of another format: nothing is known of them. */
export function isCutShort(bytes: Buffer): boolean {
  if (!bytes.subarray(0, ELF_64_LITTLE_ENDIAN.length).equals(ELF_64_LITTLE_ENDIAN)) return bytes.length === 0
  if (bytes.length < HEADER_BYTES) return true
  const tableBytes = bytes.readUInt16LE(SECTION_HEADER_SIZE_AT) * bytes.readUInt16LE(SECTION_COUNT_AT)
  return bytes.readBigUInt64LE(SECTION_HEADERS_AT) + BigInt(tableBytes) > BigInt(bytes.length)
}
