/**
 * A search among numbers that do not fall. Offsets of a log nearly always rise
 * evenly, so where one lies is guessed; where guesses do not help it is found by
 * halves.
 */

const GUESSES = 4

/** Index of the first of `count` values, each `stride` behind the one before, that is at least `target`; `count` where none is. */
export function firstReaching(values: Int32Array, count: number, target: number, stride: number): number {
  if (count === 0 || at(values, (count - 1) * stride) < target) return count
  if (at(values, 0) >= target) return 0
  // The value at `low` is below the target, the one at `high` is not.
  let low = 0
  let high = count - 1
  for (let n = 0; high - low > 1; n++) {
    const middle = n < GUESSES ? guess(values, low, high, target, stride) : (low + high) >>> 1
    if (at(values, middle * stride) < target) low = middle
    else high = middle
  }
  return high
}

/** Between `low` and `high`, both excluded. */
function guess(values: Int32Array, low: number, high: number, target: number, stride: number): number {
  const below = at(values, low * stride)
  const part = (target - below) / (at(values, high * stride) - below)
  const middle = low + Math.floor(part * (high - low))
  return Math.min(high - 1, Math.max(low + 1, middle))
}

function at(values: Int32Array, index: number): number {
  return values[index] as number
}
