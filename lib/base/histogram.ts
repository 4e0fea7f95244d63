/**
 * Counts whole numbers in buckets that grow with the number, so that a
 * percentile costs no list of samples: at most an eighth too high, in less
 * than a kilobyte. Node's own histogram takes ten to eighty, too much for each
 * of many logs.
 */

/** Each power of two is divided into 2^3 buckets. */
const SUB_BITS = 3
const SUB_BUCKETS = 1 << SUB_BITS
const LARGEST = 2_147_483_647
const BUCKETS = bucketOf(LARGEST) + 1

export class Histogram {
  #counts: Uint32Array | undefined
  #count = 0
  #sum = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  /** 0 where nothing was counted. */
  get max(): number {
    return this.#max
  }

  /** 0 where nothing was counted. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  /** Counts `value`, rounded to a whole number from 0 to 2^31 - 1. */
  record(value: number): void {
    const whole = Math.min(LARGEST, Math.max(0, Math.round(value)))
    this.#counts ??= new Uint32Array(BUCKETS)
    const bucket = bucketOf(whole)
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#count++
    this.#sum += whole
    if (whole > this.#max) this.#max = whole
  }

  /** Counts all that `other` has counted. */
  add(other: Histogram): void {
    const theirs = other.#counts
    if (theirs === undefined) return
    this.#counts ??= new Uint32Array(BUCKETS)
    for (const [bucket, count] of theirs.entries())
      this.#counts[bucket] = (this.#counts[bucket] as number) + count
    this.#count += other.#count
    this.#sum += other.#sum
    this.#max = Math.max(this.#max, other.#max)
  }

  /** What `share` (0 to 1) of the numbers do not exceed, up to an eighth too high and never above `max`; 0 where nothing was counted. */
  percentile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.#count))
    for (const [bucket, count] of (this.#counts ?? []).entries()) {
      left -= count
      if (left <= 0) return Math.min(this.#max, largestOf(bucket))
    }
    return this.#max
  }
}

/** Numbers below 8 have a bucket each; from there on the highest four bits tell it. */
function bucketOf(value: number): number {
  if (value < SUB_BUCKETS) return value
  const shift = 31 - Math.clz32(value) - SUB_BITS
  return (shift + 1) * SUB_BUCKETS + (value >>> shift) - SUB_BUCKETS
}

function largestOf(bucket: number): number {
  if (bucket < SUB_BUCKETS) return bucket
  const shift = Math.floor(bucket / SUB_BUCKETS) - 1
  return ((bucket % SUB_BUCKETS) + SUB_BUCKETS + 1) * 2 ** shift - 1
}
