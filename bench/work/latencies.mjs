/**
 * Times of single operations, kept in memory that is there before the first:
 * noting one allocates nothing.
 */
export class Latencies {
  #ns
  #count = 0

  /** Room for `count` times. */
  constructor(count) {
    this.#ns = new Float64Array(count)
  }

  add(ns) {
    this.#ns[this.#count++] = ns
  }

  /** `{ p50, p99, max }` in ns, with more of `parts` (`{ p999: 0.999 }`); the times are forgotten. */
  summary(parts = {}) {
    const sorted = this.#ns.subarray(0, this.#count).sort()
    this.#count = 0
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
    const named = Object.entries({ p50: 0.5, p99: 0.99, ...parts }).map(([name, part]) => [name, at(part)])
    return { ...Object.fromEntries(named), max: sorted.at(-1) }
  }
}
