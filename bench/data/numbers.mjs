/**
 * The same numbers at random in every process of a row: Marsaglia's xorshift
 * of 32 bits from one seed. Its twin is Numbers.java.
 */
const SEED = 0x9e3779b9 | 0
const COUNT = 65_536

export class NumberSource {
  #state = SEED

  /** 0 <= answer < bound. */
  below(bound) {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x
    return (x >>> 0) % bound
  }
}

/** What call `n` of a loop asks for: `of(n)`, from `from` on, below `to`. Made before the loop. */
export function numbersBetween(from, to) {
  const source = new NumberSource()
  const numbers = Float64Array.from({ length: COUNT }, () => from + source.below(to - from))
  return (n) => numbers[n & (COUNT - 1)]
}
