/**
 * Judges batch headers for searches and scans alike: is there a whole batch,
 * of which format, with which offsets. The order of the checks is part of the
 * contract between the backends, as a bad header can be bad in several ways.
 */

import {
  BASE_OFFSET_AT,
  HEADER_SIZE_UP_TO_MAGIC,
  LAST_OFFSET_DELTA_AT,
  LENGTH_AT,
  LOG_OVERHEAD,
  MAGIC_AT,
  MIN_LENGTH,
  MIN_LENGTH_V1,
  MIN_LENGTH_V2,
  RECORDS_AT,
} from '../../format/layout.js'
import type { BatchPlace, ScanStop } from '../contract.js'

/** A header is read this far at most. */
export const HEADER_BYTES = RECORDS_AT

const MIN_LENGTH_BY_MAGIC = [MIN_LENGTH, MIN_LENGTH_V1, MIN_LENGTH_V2]

/** Why no whole batch starts at `at`, or undefined; `remaining` bytes can be read from there on. */
export function shapeFault(bytes: Buffer, at: number, remaining: number): ScanStop | undefined {
  if (remaining < HEADER_SIZE_UP_TO_MAGIC) return 'torn-header'
  const length = bytes.readInt32BE(at + LENGTH_AT)
  if (length < MIN_LENGTH) return 'bad-length'
  if (LOG_OVERHEAD + length > remaining) return 'torn-batch'
  const least = MIN_LENGTH_BY_MAGIC[bytes.readInt8(at + MAGIC_AT)]
  if (least === undefined) return 'bad-magic'
  return length < least ? 'bad-length' : undefined
}

/** The batch whose header, found whole, lies at `at` and came from `position`. */
export function placeOf(bytes: Buffer, at: number, position: number): BatchPlace {
  const baseOffset = bytes.readBigInt64BE(at + BASE_OFFSET_AT)
  const magic = bytes.readInt8(at + MAGIC_AT)
  const delta = magic === 2 ? BigInt(bytes.readInt32BE(at + LAST_OFFSET_DELTA_AT)) : 0n
  return {
    position,
    sizeInBytes: LOG_OVERHEAD + bytes.readInt32BE(at + LENGTH_AT),
    baseOffset,
    lastOffset: BigInt.asIntN(64, baseOffset + delta),
    magic,
  }
}

/** Whether the offsets fit the segment, the batch itself and the batch before. */
export function isInOrder(batch: BatchPlace, segmentBase: bigint, previousLast: bigint | undefined): boolean {
  if (batch.lastOffset < batch.baseOffset || batch.baseOffset < segmentBase) return false
  return previousLast === undefined || batch.lastOffset > previousLast
}
