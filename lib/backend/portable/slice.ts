/**
 * Reads of log bytes: a stretch by position, or from the batch that holds an
 * offset on. Every answer is a buffer of its own, but for `readInto`.
 */

import { wrongType } from '../../errors.js'
import type { OffsetIndexEntry, Slice, SliceBounds } from '../contract.js'
import { clampPosition, readFully } from './file-io.js'
import { translate } from './translate.js'
import type { LogView } from './views.js'

/**
 * `translate`, then the bytes from the batch found, within `bounds`. Where
 * others cut the file within that batch it is torn, and there are no bytes.
 */
export function readSlice(
  log: LogView,
  entry: OffsetIndexEntry | null,
  target: number,
  bounds: SliceBounds,
): Slice {
  const translation = translate(log, entry, target, bounds.fromPosition)
  const { batch } = translation
  if (batch === null) return { translation, bytes: Buffer.alloc(0) }
  const wanted = bounds.minOneBatch ? Math.max(bounds.maxBytes, batch.sizeInBytes) : bounds.maxBytes
  const length = Math.min(wanted, bounds.endPosition - batch.position)
  const bytes = readBytes(log, batch.position, length)
  const isCut = bytes.length < length && bytes.length < batch.sizeInBytes
  if (!isCut) return { translation, bytes }
  return { translation: { ...translation, batch: null, stop: 'torn-batch' }, bytes: Buffer.alloc(0) }
}

/** The bytes at `position`; fewer, or none, where the valid size ends. */
export function readBytes(log: LogView, position: number, length: number): Buffer {
  const from = clampPosition(position)
  const available = Math.max(0, Math.min(clampPosition(length), log.sizeInBytes - from))
  // Not from Node's pool: the bytes are the caller's alone, and a lane hands their memory over.
  const bytes = Buffer.allocUnsafeSlow(available)
  const read = readFully(log.fd, log.path, bytes, available, from)
  return read === available ? bytes : bytes.subarray(0, read)
}

/** As many of the bytes at `position` as `target` holds and the valid size has; gives their number. */
export function readInto(log: LogView, target: Uint8Array, position: number): number {
  if (!(target instanceof Uint8Array)) throw wrongType('target', 'a Uint8Array', target)
  const from = clampPosition(position)
  const available = Math.max(0, Math.min(target.length, log.sizeInBytes - from))
  return readFully(log.fd, log.path, target, available, from)
}
