/**
 * The outside record of a load: what a killed process was told, line by line,
 * and what its log has to hold after that.
 *
 * A kill takes no power away: what an append has returned for has to be there
 * as well, durable or not; the two are counted apart.
 */
import type { Found } from './law.js'
import { loadValue } from './load-value.mjs'

export class LoadRecord {
  /** Values by offset, of appends that have returned. */
  #values: (string | undefined)[] = []
  #durableEnd = 0
  #startMin = 0
  #startMax = 0
  /** A truncation has begun and not ended. */
  #cutFrom = Number.POSITIVE_INFINITY
  /** Those whose records may be there without having been told. */
  #runs = new Set<number>()
  /** What an opening said of itself that cannot be. */
  #wrong: string[] = []
  appends = 0
  durable = 0
  deletions = 0
  truncations = 0

  /** A line of run `run`. */
  told(run: number, line: string): void {
    this.#runs.add(run)
    const [word, ...numbers] = line.split(' ')
    const [one = 0, two = 0, three = 0] = numbers.map(Number)
    switch (word) {
      case 'a':
        for (let offset = one; offset <= two; offset++)
          this.#values[offset] = loadValue(run, three + offset - one)
        this.appends++
        break
      case 'd':
        this.#durableEnd = Math.max(this.#durableEnd, one + 1)
        this.durable++
        break
      case 'm':
        this.#startMax = Math.max(this.#startMax, one)
        break
      case 's':
        this.#startMin = Math.max(this.#startMin, one)
        this.#startMax = this.#startMin
        this.deletions++
        break
      case 'u':
        this.#cutFrom = one
        this.#durableEnd = Math.min(this.#durableEnd, one)
        break
      case 't':
        this.#values.length = one
        this.#cutFrom = Number.POSITIVE_INFINITY
        this.truncations++
        break
      case 'open':
        this.#opened(one, two)
        break
      case 'opening':
        break
      default:
        throw new Error(`run ${run} said: ${line}`)
    }
  }

  /** What is wrong with what was found; the runs since the last judgement may have appended more than they could tell. */
  judge(found: Found): string[] {
    const { logStartOffset, logEndOffset } = found
    const wrong = [...this.#wrong.splice(0), ...this.#offsetsWrong(logStartOffset, logEndOffset)]
    let next = logStartOffset
    for (const { offset, value } of found.records) {
      if (offset !== next) wrong.push(`offset ${offset} where ${next} has to be`)
      next = offset + 1
      const told = this.#values[offset]
      const isRight = told === undefined ? this.#isUntold(value) : told === value
      if (!isRight)
        wrong.push(
          `offset ${offset} holds ${value.slice(0, 30)}, not ${(told ?? 'one of the last runs').slice(0, 30)}`,
        )
    }
    if (next !== logEndOffset) wrong.push(`records end at ${next}, the log at ${logEndOffset}`)
    return wrong
  }

  /** From here on what was found counts. */
  adopt({ logStartOffset, logEndOffset, records }: Found): void {
    this.#values.length = logEndOffset
    for (const { offset, value } of records) this.#values[offset] = value
    this.#durableEnd = logEndOffset
    this.#startMin = logStartOffset
    this.#startMax = logStartOffset
    this.#cutFrom = Number.POSITIVE_INFINITY
    this.#runs.clear()
  }

  /** A process has recovered the log and goes on from there; what lies in it is judged later. */
  #opened(start: number, end: number): void {
    this.#wrong.push(...this.#offsetsWrong(start, end))
    this.#values.length = end
    this.#durableEnd = end
    this.#startMin = start
    this.#startMax = start
    this.#cutFrom = Number.POSITIVE_INFINITY
  }

  #offsetsWrong(start: number, end: number): string[] {
    const wrong: string[] = []
    if (start < this.#startMin) wrong.push(`starts at ${start}, ${this.#startMin} was told`)
    if (start > this.#startMax) wrong.push(`starts at ${start}, above ${this.#startMax}`)
    const appendedEnd = Math.min(this.#values.length, this.#cutFrom)
    if (end < this.#durableEnd) wrong.push(`ends at ${end}, ${this.#durableEnd} was durable`)
    else if (end < appendedEnd) wrong.push(`ends at ${end}, ${appendedEnd} was appended`)
    return wrong
  }

  #isUntold(value: string): boolean {
    const [run, serial] = value.split('.').map(Number)
    return this.#runs.has(run ?? 0) && value === loadValue(run ?? 0, serial ?? 0)
  }
}
