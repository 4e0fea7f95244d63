/**
 * Files that are written behind an append, in order and off its turn: producer
 * snapshots and transaction indexes. A flush waits for them and syncs them
 * before it moves the recovery point. A write that fails takes the log offline.
 */

import { IoError } from '../errors.js'

export interface SideFileHost {
  /** The log's close waits for `work`. */
  during<T>(work: () => Promise<T>): Promise<T>
  flushPath(path: string): Promise<void>
  /** Called with what a write failed with. */
  fail(error: unknown): void
}

export class SideFiles {
  readonly #host: SideFileHost
  readonly #unflushed = new Set<string>()
  #last: Promise<void> = Promise.resolve()
  #failed: { readonly error: unknown } | undefined

  constructor(host: SideFileHost) {
    this.#host = host
  }

  /** `work` writes `path`, once all that was asked for before is written; false from it: nothing is there to sync. */
  write(path: string, work: () => Promise<boolean>): void {
    const before = this.#last
    this.#last = this.#host.during(async () => {
      await before
      if (this.#failed !== undefined) return
      try {
        if (await work()) this.#unflushed.add(path)
      } catch (error) {
        this.#failed = { error }
        this.#host.fail(error)
      }
    })
  }

  /** `path` is being taken away: it needs no sync any more. */
  forget(path: string): void {
    this.#unflushed.delete(path)
  }

  /** Resolves when all that was asked for is written, or has failed. */
  async idle(): Promise<void> {
    await this.#last
  }

  /** All that was asked for is on disk on return. Throws what a write failed with. */
  async flush(): Promise<void> {
    await this.#last
    if (this.#failed !== undefined) throw this.#failed.error
    for (const path of [...this.#unflushed]) {
      // Written to again meanwhile, it is there again.
      this.#unflushed.delete(path)
      await this.#flushOne(path)
    }
  }

  /** A truncation or deletion that takes the file away meanwhile leaves nothing to sync. */
  async #flushOne(path: string): Promise<void> {
    try {
      await this.#host.flushPath(path)
    } catch (error) {
      if (!(error instanceof IoError) || error.errno !== 'ENOENT') throw error
    }
  }
}
