/**
 * The records of a chunk's batches as rows, whatever their magic and codec.
 * Those of a batch that is not compressed lie in the chunk, so the rows of many
 * can be filled one behind the other; a compressed one is opened by itself.
 */

import { CorruptionError, InvalidBatchError, UnsupportedError } from '../errors.js'
import { batchError } from '../format/batch.js'
import { CODEC_NAMES, type CodecName, codecName, isCodecLoaded, loadedCodec } from '../format/compression.js'
import * as layout from '../format/layout.js'
import { type LegacyBatch, readLegacyBatch } from '../format/legacy.js'
import { openMessageSet } from '../format/legacy-records.js'
import type { BatchChunks } from './batch-chunks.js'
import { entriesOf, fillMessageRow, fillSetRows } from './legacy-rows.js'
import { MAX_ROWS, type RecordRows } from './record-rows.js'

/** Least bytes of a record of magic 2. */
const MIN_RECORD_BYTES = 7

/** A compressed batch, opened: its records are all the rows that there are. */
export interface OpenedBatch {
  /** What the rows' positions are in. */
  readonly bytes: Uint8Array
}

export class BatchRecords {
  readonly rows: RecordRows
  readonly #chunks: BatchChunks
  readonly #maxDecompressedBytes: number

  constructor(chunks: BatchChunks, rows: RecordRows, maxDecompressedBytes: number) {
    this.#chunks = chunks
    this.rows = rows
    this.#maxDecompressedBytes = maxDecompressedBytes
  }

  isCurrent(index: number): boolean {
    return this.#byteAt(index, layout.MAGIC_AT) === 2
  }

  /** Has records that are not compressed. */
  isPlain(index: number): boolean {
    return this.#codecId(index) === 0
  }

  /** Rows that a plain batch takes. `ERR_CORRUPT` for a count that cannot be. */
  countOf(index: number): number {
    if (!this.isCurrent(index)) return 1
    const { bytes, starts, sizes } = this.#chunks
    const count = bytes.readInt32BE((starts[index] as number) + layout.RECORD_COUNT_AT)
    const room = (sizes[index] as number) - layout.RECORDS_AT
    if (count < 0 || (this.isPlain(index) && count * MIN_RECORD_BYTES > room)) throw this.#bad(index)
    return count
  }

  /** Empties the rows, for the `count` records of batch `index`; `ERR_BATCH_TOO_LARGE` for more than there can be rows. */
  makeRoom(index: number, count: number): void {
    if (count > MAX_ROWS) throw this.#tooMany(index, count)
    this.rows.clear(count)
  }

  /** Takes a plain batch into the next rows, for which there is room. */
  add(index: number): void {
    const { bytes, starts, sizes } = this.#chunks
    const start = starts[index] as number
    const end = start + (sizes[index] as number)
    if (this.isCurrent(index)) {
      const baseOffset = bytes.readBigInt64BE(start + layout.BASE_OFFSET_AT)
      const records = { bytes, start: start + layout.RECORDS_AT, end, count: this.countOf(index), baseOffset }
      if (!this.rows.add(records)) throw this.#bad(index)
    } else {
      this.#placed(index, () => fillMessageRow(this.rows.columns, this.rows.count, bytes, start, end - start))
      this.rows.count++
    }
  }

  /** Opens a compressed batch into rows from 0 on. Its codec is loaded. */
  open(index: number): OpenedBatch {
    return this.#placed(index, () =>
      this.isCurrent(index) ? this.#openCurrent(index) : this.#openSet(index),
    )
  }

  /** Codecs that the chunk needs and that nobody has loaded. `ERR_UNSUPPORTED` for one that there is not. */
  missingCodecs(): CodecName[] {
    let seen = 0
    for (let index = 0; index < this.#chunks.count; index++) seen |= 1 << this.#codecId(index)
    const unknown = seen >> CODEC_NAMES.length
    if (unknown !== 0) throw this.#unknownCodec()
    return CODEC_NAMES.filter((name, id) => (seen & (1 << id)) !== 0 && !isCodecLoaded(name))
  }

  codecOf(index: number): CodecName {
    return codecName(this.#codecId(index))
  }

  /** The entry of a batch of magic 0 or 1. */
  legacyEntry(index: number): LegacyBatch {
    const { bytes, starts, sizes } = this.#chunks
    const start = starts[index] as number
    return readLegacyBatch(bytes, start, start + (sizes[index] as number))
  }

  #openCurrent(index: number): OpenedBatch {
    const { bytes: chunk, starts, sizes } = this.#chunks
    const start = starts[index] as number
    const stored = chunk.subarray(start + layout.RECORDS_AT, start + (sizes[index] as number))
    const limits = { maxBytes: this.#maxDecompressedBytes, magic: 2 as const }
    const bytes = loadedCodec(this.codecOf(index)).decompress(stored, limits)
    const count = this.countOf(index)
    if (count * MIN_RECORD_BYTES > bytes.length) throw this.#bad(index)
    this.makeRoom(index, count)
    const baseOffset = chunk.readBigInt64BE(start + layout.BASE_OFFSET_AT)
    if (!this.rows.add({ bytes, start: 0, end: bytes.length, count, baseOffset })) throw this.#bad(index)
    return { bytes }
  }

  #openSet(index: number): OpenedBatch {
    const wrapper = this.legacyEntry(index)
    const bytes = openMessageSet(wrapper, { maxDecompressedBytes: this.#maxDecompressedBytes })
    if (bytes === null) throw this.#bad(index)
    const entries = entriesOf(wrapper, bytes)
    this.makeRoom(index, entries.length)
    fillSetRows(this.rows.columns, wrapper, entries)
    this.rows.count = entries.length
    return { bytes }
  }

  #codecId(index: number): number {
    // The low byte of magic 2's attributes lies behind the high one.
    const at = this.isCurrent(index) ? layout.ATTRIBUTES_AT + 1 : layout.LEGACY_ATTRIBUTES_AT
    return this.#byteAt(index, at) & layout.CODEC_MASK
  }

  #byteAt(index: number, at: number): number {
    return this.#chunks.bytes[(this.#chunks.starts[index] as number) + at] as number
  }

  /** Errors about bytes get the place that the bytes come from. */
  #placed<T>(index: number, work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof CorruptionError && error.path !== undefined) throw error
      throw batchError(error, { path: this.#chunks.path, position: this.#chunks.positionOf(index) })
    }
  }

  #bad(index: number): Error {
    return this.#chunks.damage('bad-records', this.#chunks.positionOf(index))
  }

  #tooMany(index: number, count: number): InvalidBatchError {
    const { path } = this.#chunks
    const position = this.#chunks.positionOf(index)
    const message = `${path} at position ${position}: a batch of ${count} records, of which a cleaning takes ${MAX_ROWS} at most; it is not cleaned`
    const fields = { path, position, expected: MAX_ROWS, actual: count }
    return new InvalidBatchError('ERR_BATCH_TOO_LARGE', message, fields)
  }

  /** Of the first batch of the chunk with such a codec. */
  #unknownCodec(): UnsupportedError {
    const { path } = this.#chunks
    let index = 0
    while (this.#codecId(index) < CODEC_NAMES.length) index++
    const position = this.#chunks.positionOf(index)
    const message = `${path} at position ${position}: compression codec id ${this.#codecId(index)} is unknown: a newer version wrote this batch`
    return new UnsupportedError('ERR_UNSUPPORTED', message, { path, position })
  }
}
