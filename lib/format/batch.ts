/**
 * What every batch can tell, whatever its magic, and where it was read from.
 */

import { CorruptionError, InvalidBatchError, type PartitionLogError } from '../errors.js'
import type { CodecName } from './compression.js'
import type { LogRecord, RecordCursor, TimestampType } from './record.js'

/** Where a batch's bytes came from, for errors. */
export interface BatchSource {
  readonly path: string
  /** Of the batch's first byte in `path`. */
  readonly position: number
}

/** Bounds on what is allocated while batches are opened. */
export interface BatchLimits {
  /** Most bytes that one batch's records may have after decompression. */
  readonly maxDecompressedBytes: number
  /** Most bytes that one record of a compressed batch of magic 2 may have, as its own length says. Default: no bound. */
  readonly maxRecordBytes?: number
}

export const DEFAULT_BATCH_LIMITS: BatchLimits = { maxDecompressedBytes: 128 * 1024 * 1024 }

/**
 * A batch of records. It is a view of the bytes it was read from: they must
 * not change while it is used. Fields that a magic lacks are -1, -1n or false.
 */
export interface Batch {
  readonly magic: 0 | 1 | 2
  readonly sizeInBytes: number
  /** For a compressed batch of magic 0 or 1 this opens the batch. */
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly partitionLeaderEpoch: number
  /** As stored, unsigned. */
  readonly crc: number
  readonly attributes: number
  readonly codec: CodecName
  readonly timestampType: TimestampType
  /** Magic 2: the first record's, or -1 where it holds the delete horizon. */
  readonly baseTimestamp: bigint
  readonly maxTimestamp: bigint
  /** When tombstones and markers of this batch may go; null where not set. */
  readonly deleteHorizonMs: bigint | null
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly lastSequence: number
  readonly isTransactional: boolean
  readonly isControl: boolean
  /** Records that it holds; after compaction fewer than its offsets span. */
  readonly count: number
  /** The whole batch as stored; a view. */
  readonly bytes: Buffer
  /** Whether the stored checksum is that of the bytes. */
  isValid(): boolean
  /**
   * The records in order. Opens a compressed batch on the caller's turn, with a codec that is loaded
   * (`ERR_CODEC_NOT_LOADED`). Bytes that are no records throw the same error
   * each time: `ERR_CORRUPT` with path and position if read from a file,
   * `ERR_INVALID_BATCH` otherwise.
   */
  records(): Iterable<LogRecord>
  /** The same, as a cursor: no object is made for a record. */
  cursor(): RecordCursor
  /** Opens a compressed batch off the event loop where its library can, so that `records()` need not. */
  load(): Promise<void>
}

/** Bytes that cannot be a batch, or records that do not fit their batch. */
export function invalidBatch(message: string, position?: number): InvalidBatchError {
  return new InvalidBatchError('ERR_INVALID_BATCH', message, position === undefined ? {} : { position })
}

/**
 * The error to throw for one that came up while a batch was opened: bytes of
 * a file are corrupt there, bytes of a caller are an invalid argument.
 */
export function batchError(error: unknown, source: BatchSource | undefined): unknown {
  const opening =
    error instanceof InvalidBatchError || (error instanceof CorruptionError && error.path === undefined)
  if (!opening) return error
  // A limit of the reader's, and no damage.
  if (error.code === 'ERR_BATCH_TOO_LARGE') return source === undefined ? error : placed(error, source)
  const kind = error instanceof CorruptionError ? (error.kind ?? 'batch') : 'batch'
  if (source === undefined) {
    return error instanceof InvalidBatchError
      ? error
      : new InvalidBatchError('ERR_INVALID_BATCH', error.message, {}, error)
  }
  const message =
    `${source.path} at position ${source.position}: ${error.message}; ` +
    'the batch cannot be read: look at it with plog dump, and read on behind it'
  return new CorruptionError('ERR_CORRUPT', message, { ...source, kind }, error)
}

function placed(error: PartitionLogError, source: BatchSource): InvalidBatchError {
  const { actual, expected } = error
  const message = `${source.path} at position ${source.position}: ${error.message}`
  return new InvalidBatchError('ERR_BATCH_TOO_LARGE', message, { ...source, actual, expected }, error)
}
