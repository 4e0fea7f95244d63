/**
 * Files of segments that have left a log's state and are about to lose their
 * names. Until that has ended they may come back after a stop, and no new file
 * may take one of the names.
 */

export class Renamings {
  readonly #running = new Set<Promise<unknown>>()

  get isRunning(): boolean {
    return this.#running.size > 0
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Resolves when none runs any more, however they ended. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }
}
