/**
 * Directories of deleted logs that wait for their removal. Nothing depends on
 * it: what is not removed in time is found and removed by the next start.
 *
 * One directory at a time: to unlink large files can take long, and it takes
 * threads that belong to the host.
 */

import { Gate } from '../base/gate.js'
import type { Logger } from '../base/logger.js'
import { asLogError } from '../log/log-error.js'
import type { Machine } from './machine.js'

export class Removals {
  readonly #machine: Machine
  readonly #logger: Logger
  readonly #waiting = new Set<() => void>()
  readonly #running = new Set<Promise<void>>()
  readonly #oneAtATime = new Gate(1)
  #isClosed = false

  constructor(machine: Machine, logger: Logger) {
    this.#machine = machine
    this.#logger = logger
  }

  /** Removes the directory `path` after `delayMs`, unless closed before; calls `removed` when it is gone. */
  after(delayMs: number, path: string, removed: () => void = () => undefined): void {
    const cancel = this.#machine.clock.after(delayMs, () => {
      this.#waiting.delete(cancel)
      const running = this.#oneAtATime.pass(() => this.#remove(path, removed))
      this.#running.add(running)
      void running.finally(() => this.#running.delete(running))
    })
    this.#waiting.add(cancel)
  }

  /** Begins no more; resolves when what was begun has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const cancel of this.#waiting) cancel()
    this.#waiting.clear()
    await Promise.all(this.#running)
  }

  async #remove(path: string, removed: () => void): Promise<void> {
    if (this.#isClosed) return
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
