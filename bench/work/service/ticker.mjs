/** A timer of 1 ms, armed again at each turn, and how late each turn was. */
import { Latencies } from '../latencies.mjs'

const PERIOD_MS = 1
const NS_PER_MS = 1e6
/** Room for more turns than any round has. */
const MOST_TURNS = 200_000

export class Ticker {
  #late = new Latencies(MOST_TURNS)
  #onTurn
  #timer

  constructor(onTurn = () => {}) {
    this.#onTurn = onTurn
    this.#arm()
  }

  /** Forgets the turns so far. */
  reset() {
    this.#late.summary()
  }

  /** No turn comes after this. How late they were: `{ p50, p99, p999, max }` in ns. */
  end() {
    clearTimeout(this.#timer)
    return this.#late.summary({ p999: 0.999 })
  }

  #arm() {
    const armed = performance.now()
    this.#timer = setTimeout(() => {
      this.#late.add((performance.now() - armed - PERIOD_MS) * NS_PER_MS)
      this.#arm()
      this.#onTurn()
    }, PERIOD_MS)
  }
}
