/**
 * A batch's checksum by the fastest means that this process has: tables, until
 * the native backend is loaded and lends its own. Both give the same sums.
 */

import { crc32c } from './crc32c.js'

/** CRC-32C of `bytes[start, end)`, as an unsigned number. */
export type Checksum = (bytes: Uint8Array, start: number, end: number) => number

let fastest: Checksum = crc32c

/** CRC-32C of `bytes[start, end)`, as an unsigned number. */
export function checksum(bytes: Uint8Array, start: number, end: number): number {
  return fastest(bytes, start, end)
}

/** From now on `checksum` asks `faster`. */
export function lendChecksum(faster: Checksum): void {
  fastest = faster
}
