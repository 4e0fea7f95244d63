/**
 * Binary search over rising values.
 */

/** How many of `count` rising values lie below `target`. */
export function entriesBelow(target: number, count: number, valueAt: (n: number) => number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (valueAt(middle) < target) low = middle + 1
    else high = middle
  }
  return low
}
