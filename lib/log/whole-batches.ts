/**
 * How far bytes of a segment are whole batches in order. No checksum covers a
 * batch's base offset: that it is damaged shows only beside its neighbours.
 */

import { corrupt, InvalidBatchError } from '../errors.js'
import type { BatchSource } from '../format/batch.js'
import { batchSizeAt } from '../format/batches.js'
import * as layout from '../format/layout.js'
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
  let sound: WholeBatches = { length: 0, lastOffset: -1n }
  let before = sound
  try {
    for (;;) {
      const baseOffset = baseOffsetAt(bytes, sound.length)
      // Also where the batch itself is cut off, as at the end of a bounded read.
      if (baseOffset !== undefined && baseOffset <= sound.lastOffset)
        return orDamaged(before, source, sound.length)
      const size = batchSizeAt(bytes, sound.length)
      if (size === undefined) return sound
      const lastOffset = lastOffsetAt(bytes, sound.length)
      if (lastOffset >= offsetLimit) return orDamaged(sound, source, sound.length)
      if (lastOffset <= sound.lastOffset) return orDamaged(before, source, sound.length)
      before = sound
      sound = { length: sound.length + size, lastOffset }
    }
  } catch (error) {
    if (!(error instanceof InvalidBatchError)) throw error
    // Whole batches come first; the bad one is reported when a read begins there.
    if (sound.length > 0) return sound
    const { path, position } = source
    throw corrupt('batch', path, `${error.message}; look with plog dump`, { position }, error)
  }
}

function orDamaged(sound: WholeBatches, source: BatchSource, at: number): WholeBatches {
  if (sound.length > 0) return sound
  throw damagedBatch(source.path, source.position + at, 'offset-order')
}

/** Undefined where the bytes end before it, or for an old batch, whose header has its last offset there. */
function baseOffsetAt(bytes: Buffer, position: number): bigint | undefined {
  if (bytes.length - position < layout.HEADER_SIZE_UP_TO_MAGIC) return undefined
  return bytes[position + layout.MAGIC_AT] === 2 ? bytes.readBigInt64BE(position) : undefined
}

function lastOffsetAt(bytes: Buffer, position: number): bigint {
  const offset = bytes.readBigInt64BE(position + layout.BASE_OFFSET_AT)
  if (bytes[position + layout.MAGIC_AT] !== 2) return offset
  return BigInt.asIntN(64, offset + BigInt(bytes.readInt32BE(position + layout.LAST_OFFSET_DELTA_AT)))
}
