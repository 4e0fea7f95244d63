/** Wakes everybody who waits for the next change of something. */
export class ChangeSignal {
  #wake: (() => void) | undefined
  #changed: Promise<void> | undefined

  /** Resolves with the next `wake`. */
  changed(): Promise<void> {
    this.#changed ??= new Promise((resolve) => {
      this.#wake = resolve
    })
    return this.#changed
  }

  wake(): void {
    const wake = this.#wake
    this.#wake = undefined
    this.#changed = undefined
    wake?.()
  }
}
