/**
 * Where the batches lie that a segment was given last, so that who reads near
 * the end of a log, or what was just written, need not search for them.
 *
 * A memory and no truth: it holds what was written here and is dropped when
 * anything else changes the segment. All segments of the process share a
 * bounded room, and those noted longest ago go first.
 */

import { readInt64 } from '../base/int64.js'
import * as layout from '../format/layout.js'
import { firstReaching } from './first-reaching.js'

/** Of a batch: relative last offset, relative base offset, position; side by side, as they are asked for. */
const FIELDS = 3
const BASE = 1
const POSITION = 2
const BATCHES_PER_CHUNK = 1024
/** 24 MiB: two million batches. */
const MOST_CHUNKS = 2048

class Chunk {
  readonly fields = new Int32Array(FIELDS * BATCHES_PER_CHUNK)
  count = 0
  isDropped = false
}

/** Of all segments, by age. */
let chunks: Chunk[] = []

function newChunk(): Chunk {
  const oldest = chunks.length >= MOST_CHUNKS ? chunks.shift() : undefined
  if (oldest !== undefined) oldest.isDropped = true
  const chunk = new Chunk()
  chunks.push(chunk)
  return chunk
}

/** A batch of magic 2; offsets are relative to the segment's base. */
export interface RecentBatch {
  readonly relativeBase: number
  readonly relativeLast: number
  readonly position: number
  readonly sizeInBytes: number
}

/** Whether `bytes` are those of the batch, by its header. `baseOffset` of the segment. */
export function isRecent(bytes: Buffer, baseOffset: number, recent: RecentBatch): boolean {
  const { relativeBase, relativeLast, sizeInBytes } = recent
  return (
    bytes[layout.MAGIC_AT] === 2 &&
    readInt64(bytes, layout.BASE_OFFSET_AT) === baseOffset + relativeBase &&
    bytes.readInt32BE(layout.LAST_OFFSET_DELTA_AT) === relativeLast - relativeBase &&
    bytes.readInt32BE(layout.LENGTH_AT) === sizeInBytes - layout.LOG_OVERHEAD
  )
}

export class RecentBatches {
  /** By rising offset; those that were dropped come first. */
  #chunks: Chunk[] = []
  /** The last offset of each chunk, side by side: a search among them touches few lines of memory. */
  #lasts = new Int32Array(0)

  /** The batch that was just appended, at `position`. */
  note(relativeBase: number, relativeLast: number, position: number): void {
    let chunk = this.#chunks[this.#chunks.length - 1]
    if (chunk === undefined || chunk.isDropped || chunk.count === BATCHES_PER_CHUNK) chunk = this.#begin()
    const at = FIELDS * chunk.count++
    chunk.fields[at] = relativeLast
    chunk.fields[at + BASE] = relativeBase
    chunk.fields[at + POSITION] = position
    this.#lasts[this.#chunks.length - 1] = relativeLast
  }

  /** The segment has changed otherwise, or is gone. */
  forget(): void {
    if (this.#chunks.length === 0) return
    for (const chunk of this.#chunks) chunk.isDropped = true
    chunks = chunks.filter(({ isDropped }) => !isDropped)
    this.#chunks = []
  }

  /**
   * The first batch whose last offset is at least `target`, if it is among
   * those remembered. `endPosition` is where the last of them ends.
   */
  find(target: number, endPosition: number): RecentBatch | undefined {
    if (this.#chunks[0]?.isDropped) this.#letGo()
    const held = this.#chunks
    const index = firstReaching(this.#lasts, held.length, target, 1)
    const chunk = held[index]
    if (chunk === undefined) return undefined
    const { fields, count } = chunk
    const row = firstReaching(fields, count, target, FIELDS)
    const at = FIELDS * row
    const relativeBase = fields[at + BASE] as number
    // Batches before the first that is remembered may reach it as well.
    if (index === 0 && row === 0 && target < relativeBase) return undefined
    const position = fields[at + POSITION] as number
    const next = row + 1 < count ? fields[at + FIELDS + POSITION] : held[index + 1]?.fields[POSITION]
    const sizeInBytes = (next ?? endPosition) - position
    return { relativeBase, relativeLast: fields[at] as number, position, sizeInBytes }
  }

  #begin(): Chunk {
    const chunk = newChunk()
    this.#chunks.push(chunk)
    if (this.#chunks.length > this.#lasts.length) {
      const grown = new Int32Array(2 * this.#chunks.length)
      grown.set(this.#lasts)
      this.#lasts = grown
    }
    return chunk
  }

  /** What was dropped is not kept. */
  #letGo(): void {
    const first = this.#chunks.findIndex(({ isDropped }) => !isDropped)
    const gone = first < 0 ? this.#chunks.length : first
    this.#chunks.splice(0, gone)
    this.#lasts.copyWithin(0, gone)
  }
}
