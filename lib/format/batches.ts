/**
 * Bytes to batches: splits what is on the wire or in a file into whole
 * batches of any magic.
 */

import { readInt32 } from '../base/int64.js'
import { checkObject } from '../base/options.js'
import { wrongType } from '../errors.js'
import {
  type Batch,
  type BatchLimits,
  type BatchSource,
  batchError,
  DEFAULT_BATCH_LIMITS,
  invalidBatch,
} from './batch.js'
import {
  HEADER_SIZE_UP_TO_MAGIC,
  LENGTH_AT,
  LOG_OVERHEAD,
  MAGIC_AT,
  MIN_LENGTH,
  MIN_LENGTH_V1,
  MIN_LENGTH_V2,
} from './layout.js'
import { LegacyRecordBatch } from './legacy-record-batch.js'
import { RecordBatch } from './record-batch.js'

export interface RecordBatchesOptions extends Partial<BatchLimits> {
  /** The file that `bytes` were read from and where they start in it, for errors. */
  readonly source?: BatchSource
}

/**
 * The whole batches of `bytes`, in order, as views. A last batch that is cut
 * short ends the iteration: it is what a fetch of a bounded size leaves. A
 * header that cannot be one throws `ERR_INVALID_BATCH` (`ERR_CORRUPT` with
 * `source`), with the position, each time it is reached.
 */
export function* recordBatches(
  bytes: Uint8Array,
  options: RecordBatchesOptions = {},
): Generator<Batch, void, undefined> {
  if (!(bytes instanceof Uint8Array)) throw wrongType('bytes', 'a Uint8Array', bytes)
  checkObject('options', options)
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const limits = { ...DEFAULT_BATCH_LIMITS, ...options }
  let position = 0
  for (;;) {
    const source = options.source && {
      path: options.source.path,
      position: options.source.position + position,
    }
    const sizeInBytes = sizeOrThrow(buffer, position, source)
    if (sizeInBytes === undefined) return
    yield batchAt(buffer, position, sizeInBytes, limits, source)
    position += sizeInBytes
  }
}

/**
 * Size of the batch at `position`, from its header; undefined where it is cut
 * short. Throws `ERR_INVALID_BATCH` for a length or magic that cannot be.
 */
export function batchSizeAt(buffer: Buffer, position: number): number | undefined {
  const left = buffer.length - position
  if (left < HEADER_SIZE_UP_TO_MAGIC) return undefined
  const length = readInt32(buffer, position + LENGTH_AT)
  if (length < MIN_LENGTH) throw invalidBatch(`batch length ${length} is below ${MIN_LENGTH}`, position)
  const magic = ((buffer[position + MAGIC_AT] as number) << 24) >> 24
  const least = leastLength(magic)
  if (least === undefined) throw invalidBatch(`unknown magic ${magic}`, position)
  if (length > left - LOG_OVERHEAD) return undefined
  if (length < least)
    throw invalidBatch(`batch length ${length} is below ${least}, the least of magic ${magic}`, position)
  return LOG_OVERHEAD + length
}

function sizeOrThrow(buffer: Buffer, position: number, source: BatchSource | undefined): number | undefined {
  try {
    return batchSizeAt(buffer, position)
  } catch (error) {
    throw batchError(error, source)
  }
}

function batchAt(
  buffer: Buffer,
  position: number,
  sizeInBytes: number,
  limits: BatchLimits,
  source: BatchSource | undefined,
): Batch {
  const bytes = buffer.subarray(position, position + sizeInBytes)
  return bytes[MAGIC_AT] === 2
    ? new RecordBatch(bytes, limits, source)
    : new LegacyRecordBatch(bytes, limits, source)
}

function leastLength(magic: number): number | undefined {
  if (magic === 2) return MIN_LENGTH_V2
  return magic === 1 ? MIN_LENGTH_V1 : magic === 0 ? MIN_LENGTH : undefined
}
