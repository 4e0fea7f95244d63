/**
 * What a backend has open for a file (a descriptor, a native handle), and how
 * many lane operations use it. `close` gives it back and resolves when the last
 * of them has ended; from its turn on every other use is `ERR_CLOSED`.
 */

import { ClosedError } from '../errors.js'

/**
 * When `close` gives it back. `'at-once'`: whoever leases it keeps
 * the file open by means of its own. `'when-drained'`: after the last lease.
 */
export type GiveBack = 'at-once' | 'when-drained'

export class LeasedFile {
  readonly path: string
  readonly #value: number
  readonly #giveBack: GiveBack
  readonly #release: (value: number) => void
  #leases = 0
  #closing: Promise<void> | undefined
  #onDrained: (() => void) | undefined

  constructor(value: number, path: string, giveBack: GiveBack, release: (value: number) => void) {
    this.#value = value
    this.path = path
    this.#giveBack = giveBack
    this.#release = release
  }

  /** The descriptor or handle, for use within this turn or under a lease. `ERR_CLOSED` after `close`. */
  get value(): number {
    if (this.#closing !== undefined)
      throw new ClosedError('ERR_CLOSED', `${this.path} is closed`, { path: this.path })
    return this.#value
  }

  /** Runs `operation`, which takes `value` in this turn; `close` of each of `files` waits for its end. */
  static async lease<T>(files: readonly LeasedFile[], operation: () => Promise<T>): Promise<T> {
    for (const file of files) file.#leases++
    try {
      return await operation()
    } finally {
      for (const file of files) file.#leaseEnded()
    }
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  #leaseEnded(): void {
    this.#leases--
    if (this.#leases === 0) this.#onDrained?.()
  }

  async #end(): Promise<void> {
    if (this.#giveBack === 'at-once') this.#release(this.#value)
    if (this.#leases > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve
      })
    }
    if (this.#giveBack === 'when-drained') this.#release(this.#value)
  }
}
