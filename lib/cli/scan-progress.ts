/**
 * A bar for the scan of one log after the other, on a terminal only.
 */

import type { Context } from './context.js'
import { byteProgress, type Progress } from './progress.js'

export class ScanProgress {
  readonly #context: Context
  #log: string | undefined
  #bar: Progress | undefined
  #done = 0

  constructor(context: Context) {
    this.#context = context
  }

  at(log: string, done: number, total: number): void {
    if (log !== this.#log) {
      this.end()
      this.#log = log
      this.#bar = byteProgress(this.#context, log, total)
    }
    this.#bar?.add(done - this.#done)
    this.#done = done
  }

  end(): void {
    this.#bar?.end()
    this.#bar = undefined
    this.#log = undefined
    this.#done = 0
  }
}
