/** Spare files of the native backend: one handle for the three. */

import type { SpareFiles } from '../contract.js'
import type { Handle, NativeAddon } from './addon.js'

/** Whether indexes may be mapped. To ask the environment costs as much as a short write. */
export function mayMapIndexes(): boolean {
  return process.env.PARTITION_LOG_MMAP !== '0'
}

export class NativeSpareFiles implements SpareFiles {
  readonly mayMap = mayMapIndexes()
  readonly #addon: NativeAddon
  #handle: Handle | undefined

  constructor(addon: NativeAddon, handle: Handle) {
    this.#addon = addon
    this.#handle = handle
  }

  /** Undefined once they are closed. */
  get handle(): Handle | undefined {
    return this.#handle
  }

  close(): void {
    if (this.#handle !== undefined) this.#addon.spare_close(this.#handle)
    this.#handle = undefined
  }
}

/** The handle of `spare`, where it is one of this backend and still open. */
export function spareHandle(spare: SpareFiles | undefined): Handle | undefined {
  return spare instanceof NativeSpareFiles ? spare.handle : undefined
}
