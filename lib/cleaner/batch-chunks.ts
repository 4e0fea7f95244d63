/**
 * Reads a segment chunk by chunk into one buffer that is used again, and finds
 * the whole batches in it. Every batch that is handed out has been checked:
 * length, magic, checksum, and offsets above those before and below the next segment.
 *
 * What does not fit in whole is read again with the next chunk; only a batch
 * larger than the buffer makes that grow, until the segment is done with.
 * Progress is counted in bytes, so a chunk of which nothing is kept is one
 * like any other.
 */

import type { LogFile } from '../backend/contract.js'
import { InvalidBatchError } from '../errors.js'
import * as layout from '../format/layout.js'
import { damagedBatch } from '../segment/batch-header.js'
import { type Crc32c, faultOf, lengthFault } from './batch-check.js'
import type { BatchFault } from './clean-job.js'

/** Batches that one chunk holds at most: what is known of each takes 24 bytes. */
const MAX_BATCHES = 16_384

const TWO_TO_32 = 2 ** 32

export interface ChunkSource {
  readonly log: LogFile
  readonly baseOffset: bigint
  /** First byte to be read, where a batch begins. */
  readonly fromPosition: number
  /** Behind the last. */
  readonly endPosition: number
  /** All offsets of the segment are below: where the next one begins. */
  readonly endOffset: bigint
}

export interface ChunkOptions {
  readonly ioBufferBytes: number
  readonly maxBatchBytes: number
  readonly crc32c: Crc32c
}

export class BatchChunks {
  /** The chunk's; valid until the next one. */
  bytes: Buffer
  /** Of the batches of the chunk: first byte in `bytes`, size, and offsets less the segment's base offset. */
  readonly starts = new Int32Array(MAX_BATCHES)
  readonly sizes = new Int32Array(MAX_BATCHES)
  readonly firstOffsets = new Float64Array(MAX_BATCHES)
  readonly lastOffsets = new Float64Array(MAX_BATCHES)
  /** Batches in the chunk. */
  count = 0
  readonly #options: ChunkOptions
  readonly #ownBytes: Buffer
  #source: ChunkSource | undefined
  #position = 0
  #nextPosition = 0
  #lastOffset = -1
  #endOffset = 0
  #baseHigh = 0
  #baseLow = 0

  constructor(options: ChunkOptions) {
    this.#options = options
    this.#ownBytes = Buffer.allocUnsafeSlow(Math.max(options.ioBufferBytes, layout.RECORDS_AT))
    this.bytes = this.#ownBytes
  }

  /** Begins with another segment. A grown buffer is let go of. */
  begin(source: ChunkSource): void {
    this.bytes = this.#ownBytes
    this.count = 0
    this.#source = source
    this.#nextPosition = source.fromPosition
    this.#lastOffset = -1
    this.#endOffset = Number(source.endOffset - source.baseOffset)
    this.#baseHigh = Number(BigInt.asIntN(32, source.baseOffset >> 32n))
    this.#baseLow = Number(BigInt.asUintN(32, source.baseOffset))
  }

  /** Bytes that the next chunk will read at most; 0 at the end. */
  get pendingBytes(): number {
    if (this.#source === undefined) return 0
    return Math.min(this.bytes.length, this.#source.endPosition - this.#nextPosition)
  }

  /** Bytes of the chunk's batches. */
  get sizeInBytes(): number {
    return this.#nextPosition - this.#position
  }

  /** Of batch `index` in its file. */
  positionOf(index: number): number {
    return this.#position + (this.starts[index] as number)
  }

  lastOffsetOf(index: number): bigint {
    return this.#checkedSource().baseOffset + BigInt(this.lastOffsets[index] as number)
  }

  firstOffsetOf(index: number): bigint {
    return this.#checkedSource().baseOffset + BigInt(this.firstOffsets[index] as number)
  }

  /**
   * Reads the next chunk; false at the end. Throws `ERR_CORRUPT` for the first
   * batch of it that is none, `ERR_BATCH_TOO_LARGE` above `maxBatchBytes`.
   */
  next(): boolean {
    const source = this.#checkedSource()
    this.#position = this.#nextPosition
    this.count = 0
    if (this.#position >= source.endPosition) return false
    let found = this.#find(this.#read(source), source)
    if (found.bytes === 0) {
      this.#grow(found.neededBytes, source)
      found = this.#find(this.#read(source), source)
    }
    // A file that has become shorter than it was said to be.
    if (found.bytes === 0) throw this.damage('torn-batch', this.#position)
    this.#nextPosition = this.#position + found.bytes
    return true
  }

  /** Of the segment's `.log`, for errors. */
  get path(): string {
    return this.#checkedSource().log.path
  }

  /** The error for what is wrong with the batch at `position` of the file. */
  damage(fault: BatchFault, position: number): Error {
    return damagedBatch(this.path, position, fault)
  }

  #checkedSource(): ChunkSource {
    if (this.#source === undefined) throw new Error('no segment is being read')
    return this.#source
  }

  #read({ log, endPosition }: ChunkSource): number {
    const length = log.readInto(this.bytes, this.#position)
    return Math.min(length, endPosition - this.#position)
  }

  /** Fills the columns from the chunk's first `length` bytes. */
  #find(length: number, { endPosition }: ChunkSource): { bytes: number; neededBytes: number } {
    let at = 0
    while (this.count < MAX_BATCHES && at < length) {
      const left = endPosition - this.#position - at
      if (length - at < layout.HEADER_SIZE_UP_TO_MAGIC) {
        if (left < layout.HEADER_SIZE_UP_TO_MAGIC) throw this.damage('torn-header', this.#position + at)
        return { bytes: at, neededBytes: layout.RECORDS_AT }
      }
      const fault = lengthFault(this.bytes, at, left)
      if (fault !== undefined) throw this.damage(fault, this.#position + at)
      const size = layout.LOG_OVERHEAD + this.bytes.readInt32BE(at + layout.LENGTH_AT)
      if (size > length - at) return { bytes: at, neededBytes: size }
      this.#add(at, size)
      at += size
    }
    return { bytes: at, neededBytes: 0 }
  }

  #add(at: number, size: number): void {
    const fault = faultOf(this.bytes, at, size, this.#options.crc32c)
    if (fault !== undefined) throw this.damage(fault, this.#position + at)
    const isCurrent = this.bytes[at + layout.MAGIC_AT] === 2
    const first = this.#relativeOffset(at)
    const last = isCurrent ? first + this.bytes.readInt32BE(at + layout.LAST_OFFSET_DELTA_AT) : first
    // One that reached into the next segment would have the cleaning come further than the log.
    if (last < first || last <= this.#lastOffset || last >= this.#endOffset)
      throw this.damage('offset-order', this.#position + at)
    this.starts[this.count] = at
    this.sizes[this.count] = size
    this.firstOffsets[this.count] = first
    this.lastOffsets[this.count] = last
    this.count++
    this.#lastOffset = last
  }

  /** Exact, without a bigint for each batch: the halves' differences are small. */
  #relativeOffset(at: number): number {
    const high = this.bytes.readInt32BE(at + layout.BASE_OFFSET_AT) - this.#baseHigh
    return high * TWO_TO_32 + (this.bytes.readUInt32BE(at + layout.BASE_OFFSET_AT + 4) - this.#baseLow)
  }

  #grow(neededBytes: number, { log }: ChunkSource): void {
    const { maxBatchBytes } = this.#options
    if (neededBytes > maxBatchBytes) {
      const position = this.#position
      const message = `${log.path} at position ${position}: a batch of ${neededBytes} bytes, of which a cleaning takes ${maxBatchBytes} at most; it is not cleaned`
      const fields = { path: log.path, position, expected: maxBatchBytes, actual: neededBytes }
      throw new InvalidBatchError('ERR_BATCH_TOO_LARGE', message, fields)
    }
    this.bytes = Buffer.allocUnsafeSlow(neededBytes)
  }
}
