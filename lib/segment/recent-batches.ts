/**
 * Where the batches lie that a segment was given last, so that who reads near
 * the end of a log, or what was just written, need not search for them.
 *
 * A memory and no truth: it holds what was written here and is dropped when
 * anything else changes the segment. All segments of the process share a
 * bounded room, and those noted longest ago go first.
 */

/** Of a batch: relative base offset, relative last offset, position. */
const FIELDS = 3
const BATCHES_PER_CHUNK = 1024
/** 24 MiB: two million batches. */
const MOST_CHUNKS = 2048

class Chunk {
  readonly fields = new Int32Array(FIELDS * BATCHES_PER_CHUNK)
  count = 0
  isDropped = false

  base(row: number): number {
    return this.fields[row * FIELDS] as number
  }

  last(row: number): number {
    return this.fields[row * FIELDS + 1] as number
  }

  position(row: number): number {
    return this.fields[row * FIELDS + 2] as number
  }

  /** The first batch whose last offset is at least `target`, which one has. Offsets mostly rise evenly: a guess is often it. */
  firstReaching(target: number): number {
    let [low, high] = [0, this.count - 1]
    const [first, last] = [this.last(low), this.last(high)]
    if (target <= first) return 0
    let middle = Math.ceil(((target - first) / (last - first)) * high)
    for (;;) {
      if (this.last(middle) < target) low = middle + 1
      else if (this.last(middle - 1) < target) return middle
      else high = middle - 1
      middle = low === high ? low : Math.max(1, (low + high) >>> 1)
    }
  }
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

export class RecentBatches {
  /** By rising offset; those that were dropped come first. */
  #chunks: Chunk[] = []
  /** The last offset of each chunk's first batch: what a search goes through lies together. */
  #firsts: number[] = []

  /** The batch that was just appended, at `position`. */
  note(relativeBase: number, relativeLast: number, position: number): void {
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || chunk.isDropped || chunk.count === BATCHES_PER_CHUNK) {
      chunk = newChunk()
      this.#chunks.push(chunk)
      this.#firsts.push(relativeLast)
    }
    const at = chunk.count * FIELDS
    chunk.fields[at] = relativeBase
    chunk.fields[at + 1] = relativeLast
    chunk.fields[at + 2] = position
    chunk.count++
  }

  /** The segment has changed otherwise, or is gone. */
  forget(): void {
    if (this.#chunks.length === 0) return
    for (const chunk of this.#chunks) chunk.isDropped = true
    chunks = chunks.filter(({ isDropped }) => !isDropped)
    this.#chunks = []
    this.#firsts = []
  }

  /**
   * The first batch whose last offset is at least `target`, if it is among
   * those remembered. `endPosition` is where the last of them ends.
   */
  find(target: number, endPosition: number): RecentBatch | undefined {
    const held = this.#held()
    let index = Math.max(0, atMost(this.#firsts, target) - 1)
    if (index < held.length && lastOf(held[index] as Chunk) < target) index++
    const chunk = held[index]
    if (chunk === undefined) return undefined
    const row = chunk.firstReaching(target)
    // Batches before the first that is remembered may reach it as well.
    if (index === 0 && row === 0 && target < chunk.base(0)) return undefined
    const position = chunk.position(row)
    const next = row + 1 < chunk.count ? chunk.position(row + 1) : held[index + 1]?.position(0)
    return {
      relativeBase: chunk.base(row),
      relativeLast: chunk.last(row),
      position,
      sizeInBytes: (next ?? endPosition) - position,
    }
  }

  #held(): readonly Chunk[] {
    const dropped = this.#chunks.findIndex(({ isDropped }) => !isDropped)
    const gone = dropped < 0 ? this.#chunks.length : dropped
    if (gone > 0) {
      this.#chunks.splice(0, gone)
      this.#firsts.splice(0, gone)
    }
    return this.#chunks
  }
}

function lastOf(chunk: Chunk): number {
  return chunk.last(chunk.count - 1)
}

/** How many of the rising `values` are at most `target`. */
function atMost(values: readonly number[], target: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] as number) <= target) low = middle + 1
    else high = middle
  }
  return low
}
