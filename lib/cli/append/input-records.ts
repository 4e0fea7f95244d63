/**
 * Lines of input to records, by a parser of lines. Input that is wrong ends the
 * records where it is; what was before it still counts, and the fault is told
 * when that is appended.
 */

import type { RecordInput } from '../../index.js'
import { UsageError } from '../failure.js'

/** The record of one line; undefined for a line to pass over. `where` names the line for errors. */
export type ParseLine = (line: Buffer, where: string) => RecordInput | undefined

export class InputRecords implements AsyncIterable<RecordInput[]> {
  readonly #lines: AsyncIterable<Buffer[]>
  readonly #parse: ParseLine
  #fault: UsageError | undefined

  constructor(lines: AsyncIterable<Buffer[]>, parse: ParseLine) {
    this.#lines = lines
    this.#parse = parse
  }

  /** Records that came in at once, together. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordInput[], void, undefined> {
    let before = 0
    try {
      for await (const some of this.#lines) {
        const records = this.#parseSome(some, before)
        if (records.length > 0) yield records
        if (this.#fault !== undefined) return
        before += some.length
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      this.#fault = error
    }
  }

  /** Throws what was wrong with the input. */
  throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault
  }

  /** The records up to the first line that is none. */
  #parseSome(lines: readonly Buffer[], before: number): RecordInput[] {
    const records: RecordInput[] = []
    try {
      for (const [index, line] of lines.entries()) {
        const record = this.#parse(line, `line ${before + index + 1} of the input`)
        if (record !== undefined) records.push(record)
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      this.#fault = error
    }
    return records
  }
}
