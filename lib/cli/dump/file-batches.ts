/**
 * The batches of a `.log`, one after the other, as Kafka walks a file: by the
 * length of each, until a length cannot be or points beyond the end.
 */

import { corrupt } from '../../errors.js'
import { type Batch, type BatchSource, DEFAULT_BATCH_LIMITS } from '../../format/batch.js'
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
    yield entryOf(bytes, { path: file.path, position: at })
    at += sizeInBytes
  }
}

/** The whole batches from `position` on; throws at the first whose header cannot be one. */
export async function* fileBatches(
  file: DumpedFile,
  position: number,
): AsyncGenerator<Batch, void, undefined> {
  for await (const entry of fileEntries(file, position)) {
    if ('damage' in entry) throw entry.damage
    yield entry.batch
  }
}

function entryOf(bytes: Buffer, source: BatchSource): FileEntry {
  const { position } = source
  try {
    for (const batch of recordBatches(bytes, { source })) return { position, bytes, batch }
    throw corrupt('batch', source.path, 'its header does not fit its length', { position })
  } catch (damage) {
    return { position, bytes, damage }
  }
}

/** Size of the batch at `position`; undefined where there is no whole one before `end`. */
export async function batchSize(
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

/** Last offset of the batch at `position`, by its header; undefined where there is no batch. */
export async function lastOffsetAt(file: DumpedFile, position: number): Promise<bigint | undefined> {
  const sizeInBytes = await batchSize(file, position)
  if (sizeInBytes === undefined) return undefined
  const header = await file.read(position, Math.min(sizeInBytes, layout.RECORDS_AT))
  const offset = header.readBigInt64BE(layout.BASE_OFFSET_AT)
  if (header[layout.MAGIC_AT] !== 2 || header.length < layout.RECORDS_AT) return offset
  return BigInt.asIntN(64, offset + BigInt(header.readInt32BE(layout.LAST_OFFSET_DELTA_AT)))
}

function damaged(file: DumpedFile, position: number, message: string) {
  return corrupt('batch', file.path, `${message}; nothing behind it can be told apart`, {
    position,
    validBytes: position,
  })
}
