/**
 * The outside record of a compacted log under load: what a killed process was
 * told, and what the log has to hold after that. What an append has returned
 * for is there, or a later record of its key is.
 */
import { loadKey, loadValue } from './load-value.mjs'

export interface KeyedRecord {
  readonly offset: number
  readonly key: string
  readonly value: string
}

export class CleanRecord {
  readonly #told = new Map<number, KeyedRecord>()
  readonly #runs = new Set<number>()
  #end = 0
  appends = 0
  cleanings = 0

  /** A line of run `run`. */
  told(run: number, line: string): void {
    this.#runs.add(run)
    const [word, ...numbers] = line.split(' ')
    const [one = 0, two = 0, three = 0] = numbers.map(Number)
    if (word === 'a') this.#appended(run, one, two, three)
    else if (word === 'c') this.cleanings++
    else if (!['opening', 'open', 'b'].includes(word ?? '')) throw new Error(`run ${run} said: ${line}`)
  }

  #appended(run: number, first: number, last: number, serial: number): void {
    this.appends++
    for (let offset = first; offset <= last; offset++) {
      const one = serial + offset - first
      this.#told.set(offset, { offset, key: loadKey(run, one), value: loadValue(run, one) })
    }
    this.#end = last + 1
  }

  judge(found: readonly KeyedRecord[], end: number): string[] {
    const wrong: string[] = []
    if (end < this.#end) wrong.push(`ends at ${end}, ${this.#end} was appended`)
    const last = new Map<string, number>()
    let before = -1
    for (const record of found) {
      const { offset, key, value } = record
      if (offset <= before) wrong.push(`offset ${offset} comes behind ${before}`)
      before = offset
      last.set(key, offset)
      const told = this.#told.get(offset)
      const isRight = told === undefined ? this.#isUntold(record) : told.value === value && told.key === key
      if (!isRight) wrong.push(`offset ${offset} holds ${key} ${value.slice(0, 20)}`)
    }
    const there = new Set(found.map(({ offset }) => offset))
    for (const { offset, key } of this.#told.values()) {
      if (!there.has(offset) && (last.get(key) ?? -1) < offset)
        wrong.push(`offset ${offset} of ${key} is gone, and nothing later is there`)
    }
    return wrong
  }

  /** From here on what was found counts. */
  adopt(found: readonly KeyedRecord[], end: number): void {
    this.#told.clear()
    for (const record of found) this.#told.set(record.offset, record)
    this.#end = end
    this.#runs.clear()
  }

  #isUntold({ key, value }: KeyedRecord): boolean {
    const [run = 0, serial = 0] = value.split('.').map(Number)
    return this.#runs.has(run) && value === loadValue(run, serial) && key === loadKey(run, serial)
  }
}
