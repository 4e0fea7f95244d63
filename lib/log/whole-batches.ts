/**
 * How far bytes of a segment are whole batches in order. No checksum covers a
 * batch's base offset: that it is damaged shows only beside its neighbours.
 */

import { numberWhereExact, readInt32, readInt64, wrappingSum } from '../base/int64.js'
import { corrupt, InvalidBatchError } from '../errors.js'
import type { BatchSource } from '../format/batch.js'
import { batchSizeAt } from '../format/batches.js'
import { BASE_OFFSET_AT, HEADER_SIZE_UP_TO_MAGIC, LAST_OFFSET_DELTA_AT, MAGIC_AT } from '../format/layout.js'
import { damagedBatch } from '../segment/batch-header.js'

export interface WholeBatches {
  /** Bytes from the start on. */
  readonly length: number
  /** Of the last of them; -1 for none. */
  readonly lastOffset: bigint
}

/**
 * Ends before a header that cannot be one, and before the first of two batches
 * whose offsets do not rise: either may be the damaged one. Where that leaves
 * nothing it throws `ERR_CORRUPT`, so that a reader comes to the damage and
 * never around it. Offsets reach `offsetLimit` at most, exclusive.
 */
export function wholeBatches(bytes: Buffer, source: BatchSource, offsetLimit: bigint): WholeBatches {
  const limit = numberWhereExact(offsetLimit)
  let sound: Sound = { length: 0, lastOffset: -1 }
  let before = sound
  try {
    for (;;) {
      const baseOffset = baseOffsetAt(bytes, sound.length)
      // Also where the batch itself is cut off, as at the end of a bounded read.
      if (baseOffset !== undefined && baseOffset <= sound.lastOffset)
        return orDamaged(before, source, sound.length)
      const size = batchSizeAt(bytes, sound.length)
      if (size === undefined) return found(sound)
      const lastOffset = lastOffsetAt(bytes, sound.length, baseOffset)
      if (lastOffset >= limit) return orDamaged(sound, source, sound.length)
      if (lastOffset <= sound.lastOffset) return orDamaged(before, source, sound.length)
      before = sound
      sound = { length: sound.length + size, lastOffset }
    }
  } catch (error) {
    if (!(error instanceof InvalidBatchError)) throw error
    // Whole batches come first; the bad one is reported when a read begins there.
    if (sound.length > 0) return found(sound)
    const { path, position } = source
    throw corrupt('batch', path, `${error.message}; look with plog dump`, { position }, error)
  }
}

/** As `WholeBatches`; the offset is a number where that is exact, since bigints would be most of the cost. */
interface Sound {
  readonly length: number
  readonly lastOffset: number | bigint
}

function found({ length, lastOffset }: Sound): WholeBatches {
  return { length, lastOffset: BigInt(lastOffset) }
}

function orDamaged(sound: Sound, source: BatchSource, at: number): WholeBatches {
  if (sound.length > 0) return found(sound)
  throw damagedBatch(source.path, source.position + at, 'offset-order')
}

/** Undefined where the bytes end before it, or for an old batch, whose header has its last offset there. */
function baseOffsetAt(bytes: Buffer, position: number): number | bigint | undefined {
  if (bytes.length - position < HEADER_SIZE_UP_TO_MAGIC) return undefined
  return bytes[position + MAGIC_AT] === 2 ? readInt64(bytes, position) : undefined
}

/** Of the batch whose base offset is that, or of an old one. */
function lastOffsetAt(
  bytes: Buffer,
  position: number,
  baseOffset: number | bigint | undefined,
): number | bigint {
  if (baseOffset === undefined) return readInt64(bytes, position + BASE_OFFSET_AT)
  const delta = readInt32(bytes, position + LAST_OFFSET_DELTA_AT)
  const sum = typeof baseOffset === 'number' ? baseOffset + delta : baseOffset
  return typeof sum === 'number' && Number.isSafeInteger(sum) ? sum : wrappingSum(baseOffset, delta)
}
