/**
 * What is wrong with a batch as bytes, if anything: its length, magic or
 * checksum. Pure. The order of offsets is looked at by whoever reads more than
 * one.
 */

import * as layout from '../format/layout.js'
import { isLegacyCrcValid, readLegacyBatch } from '../format/legacy.js'
import type { BatchFault } from './clean-job.js'

export type Crc32c = (bytes: Uint8Array, start: number, end: number) => number

const LEAST_LENGTHS = [layout.MIN_LENGTH, layout.MIN_LENGTH_V1, layout.MIN_LENGTH_V2]

/** Of the header at `bytes[at, …)`, of which the magic is there; `left` bytes are in the segment from there on. */
export function lengthFault(bytes: Buffer, at: number, left: number): BatchFault | undefined {
  const length = bytes.readInt32BE(at + layout.LENGTH_AT)
  if (length < layout.MIN_LENGTH) return 'bad-length'
  const least = LEAST_LENGTHS[bytes[at + layout.MAGIC_AT] as number]
  if (least === undefined) return 'bad-magic'
  if (length < least) return 'bad-length'
  return length > left - layout.LOG_OVERHEAD ? 'torn-batch' : undefined
}

/** Of the whole batch `bytes[at, at + size)`, whose length and magic are possible. */
export function faultOf(bytes: Buffer, at: number, size: number, crc32c: Crc32c): BatchFault | undefined {
  if (bytes[at + layout.MAGIC_AT] !== 2)
    return isLegacyCrcValid(readLegacyBatch(bytes, at, at + size)) ? undefined : 'bad-crc'
  const stored = bytes.readUInt32BE(at + layout.CRC_AT)
  return stored === crc32c(bytes, at + layout.ATTRIBUTES_AT, at + size) ? undefined : 'bad-crc'
}
