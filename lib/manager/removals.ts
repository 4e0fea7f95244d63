/**
 * Directories of deleted logs that wait for their removal. Nothing depends on
 * it: what is not removed in time is found and removed by the next start.
 */

import type { Logger } from '../base/logger.js'
import { asLogError } from '../log/log-error.js'
import type { Machine } from './machine.js'

export class Removals {
  readonly #machine: Machine
  readonly #logger: Logger
  readonly #waiting = new Set<() => void>()
  readonly #running = new Set<Promise<void>>()

  constructor(machine: Machine, logger: Logger) {
    this.#machine = machine
    this.#logger = logger
  }

  /** Removes the directory `path` after `delayMs`, unless closed before; calls `removed` when it is gone. */
  after(delayMs: number, path: string, removed: () => void = () => undefined): void {
    const cancel = this.#machine.clock.after(delayMs, () => {
      this.#waiting.delete(cancel)
      const running = this.#remove(path, removed)
      this.#running.add(running)
      void running.finally(() => this.#running.delete(running))
    })
    this.#waiting.add(cancel)
  }

  /** Begins no more; resolves when what was begun has ended. */
  async close(): Promise<void> {
    for (const cancel of this.#waiting) cancel()
    this.#waiting.clear()
    await Promise.all(this.#running)
  }

  async #remove(path: string, removed: () => void): Promise<void> {
    try {
      await this.#machine.files.removeDirectory(path)
      removed()
      this.#logger.info({ path }, `Deleted log directory ${path}`)
    } catch (error) {
      const { message } = asLogError(error)
      this.#logger.warn(
        { path, error },
        `could not delete ${path}, the next start will try again: ${message}`,
      )
    }
  }
}
