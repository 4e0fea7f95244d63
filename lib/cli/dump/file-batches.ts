/**
 * The batches of a `.log`, one after the other, as Kafka walks a file: by the
 * length of each, until a length cannot be or points beyond the end.
 */

import { CorruptionError, corrupt } from '../../errors.js'
import { type Batch, DEFAULT_BATCH_LIMITS, invalidBatch } from '../../format/batch.js'
import { recordBatches } from '../../format/batches.js'
import * as layout from '../../format/layout.js'
import type { DumpedFile } from './dumped-file.js'

/** Bytes that a length delimits: a batch, or why they are none. A view that is good until the next one is asked for. */
export type FileEntry = BatchEntry | DamagedEntry

interface BatchEntry {
  readonly position: number
  readonly bytes: Buffer
  readonly batch: Batch
}

export interface DamagedEntry {
  readonly position: number
  /** At least a header up to the magic. */
  readonly bytes: Buffer
  readonly damage: unknown
}

/** A larger batch is not opened, as it is not when a log is read. */
const MAX_BATCH_BYTES = DEFAULT_BATCH_LIMITS.maxDecompressedBytes

/**
 * What lies in `[position, end)`, batch by batch, also where only the length of
 * one makes sense. Bytes at the end that are no whole batch end the walk; a
 * length that cannot be a batch's throws `ERR_CORRUPT` with its position.
 */
export async function* fileEntries(
  file: DumpedFile,
  position = 0,
  end = file.sizeInBytes,
): AsyncGenerator<FileEntry, void, undefined> {
  for (let at = position; ; ) {
    const sizeInBytes = await batchSize(file, at, end)
    if (sizeInBytes === undefined) return
    const bytes = await file.read(at, sizeInBytes)
    // Cut shorter meanwhile.
    if (bytes.length < sizeInBytes) return
    yield entryOf(bytes, at)
    at += sizeInBytes
  }
}

/** The batch that `bytes` are, or why they are none. */
export function entryOf(bytes: Buffer, position: number): FileEntry {
  try {
    for (const batch of recordBatches(bytes)) return { position, bytes, batch }
    throw invalidBatch('its header does not fit its length')
  } catch (damage) {
    return { position, bytes, damage }
  }
}

/** Size of the batch at `position`; undefined where there is no whole one before `end`. */
async function batchSize(
  file: DumpedFile,
  position: number,
  end = file.sizeInBytes,
): Promise<number | undefined> {
  if (end - position <= layout.HEADER_SIZE_UP_TO_MAGIC) return undefined
  const head = await file.read(position, layout.LOG_OVERHEAD)
  if (head.length < layout.LOG_OVERHEAD) return undefined
  const length = head.readInt32BE(layout.LENGTH_AT)
  if (length < layout.MIN_LENGTH)
    throw damaged(file, position, `a batch length of ${length} is below the least, ${layout.MIN_LENGTH}`)
  const sizeInBytes = layout.LOG_OVERHEAD + length
  if (sizeInBytes > end - position) return undefined
  if (sizeInBytes > MAX_BATCH_BYTES)
    throw damaged(
      file,
      position,
      `a batch of ${sizeInBytes} bytes is more than can be opened (${MAX_BATCH_BYTES})`,
    )
  return sizeInBytes
}

export interface BatchHead {
  readonly sizeInBytes: number
  readonly lastOffset: bigint
}

/** What the header at `position` says, be it one or not; undefined where there is no whole batch. */
export async function batchHead(file: DumpedFile, position: number): Promise<BatchHead | undefined> {
  const sizeInBytes = await sizeIfAny(file, position)
  if (sizeInBytes === undefined) return undefined
  // A header of magic 2 is read whole even where the batch claims to be shorter, as by Kafka.
  const header = await file.read(position, layout.RECORDS_AT)
  const offset = header.readBigInt64BE(layout.BASE_OFFSET_AT)
  if (header.readInt8(layout.MAGIC_AT) < 2) return { sizeInBytes, lastOffset: offset }
  if (header.length < layout.RECORDS_AT) return undefined
  const delta = BigInt(header.readInt32BE(layout.LAST_OFFSET_DELTA_AT))
  return { sizeInBytes, lastOffset: BigInt.asIntN(64, offset + delta) }
}

async function sizeIfAny(file: DumpedFile, position: number): Promise<number | undefined> {
  try {
    return await batchSize(file, position)
  } catch (error) {
    if (error instanceof CorruptionError) return undefined
    throw error
  }
}

function damaged(file: DumpedFile, position: number, message: string) {
  return corrupt('batch', file.path, `${message}; nothing behind it can be told apart`, {
    position,
    validBytes: position,
  })
}
