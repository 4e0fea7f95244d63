/**
 * A native file's handle and who uses it. The handle is given back in the turn
 * of `close`; the file itself stays open until the lane operations that took
 * it have ended, and `close` resolves then.
 */

import { ClosedError } from '../../errors.js'
import type { Handle } from './addon.js'

export class OpenHandle {
  /** Where the file lies now; follows renames. */
  path: string
  readonly #handle: Handle
  readonly #release: (handle: Handle) => void
  #leases = 0
  #closing: Promise<void> | undefined
  #onDrained: (() => void) | undefined

  constructor(handle: Handle, path: string, release: (handle: Handle) => void) {
    this.#handle = handle
    this.path = path
    this.#release = release
  }

  /** `ERR_CLOSED` after `close`. */
  get value(): Handle {
    if (this.#closing !== undefined)
      throw new ClosedError('ERR_CLOSED', `${this.path} is closed`, { path: this.path })
    return this.#handle
  }

  /** Makes `close` wait for the same number of `release` calls. */
  lease(): void {
    this.#leases++
  }

  release(): void {
    this.#leases--
    if (this.#leases === 0) this.#onDrained?.()
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#drain()
    return this.#closing
  }

  async #drain(): Promise<void> {
    this.#release(this.#handle)
    if (this.#leases === 0) return
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve
    })
  }
}
