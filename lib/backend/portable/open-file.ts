/**
 * A descriptor and who uses it. Lane operations lease it, and `close` waits
 * for them: a descriptor's number is never free for reuse under an operation
 * that still runs on another thread.
 */

import fs from 'node:fs'
import { ClosedError } from '../../errors.js'
import { call } from './file-io.js'

export class OpenFile {
  /** Where the file lies now; follows renames. */
  path: string
  readonly #fd: number
  #leases = 0
  #closing: Promise<void> | undefined
  #onDrained: (() => void) | undefined

  constructor(fd: number, path: string) {
    this.#fd = fd
    this.path = path
  }

  /** The descriptor, for use within this turn. `ERR_CLOSED` after `close`. */
  get fd(): number {
    if (this.#closing !== undefined)
      throw new ClosedError('ERR_CLOSED', `${this.path} is closed`, { path: this.path })
    return this.#fd
  }

  /** Keeps the descriptor open until the same number of `release` calls. */
  lease(): void {
    void this.fd
    this.#leases++
  }

  release(): void {
    this.#leases--
    if (this.#leases === 0) this.#onDrained?.()
  }

  /** Idempotent; resolves when the last lease has ended and the descriptor is closed. */
  close(): Promise<void> {
    this.#closing ??= this.#drainAndClose()
    return this.#closing
  }

  async #drainAndClose(): Promise<void> {
    if (this.#leases > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve
      })
    }
    call('close', this.path, () => fs.closeSync(this.#fd))
  }
}
