/** Failures of files that nobody of their log was at just then, kept until their log listens. */

/** Told of a failure to close files that nobody of their log asked to close. */
export type FaultListener = (error: unknown) => void

export class FileFaults {
  #listener: FaultListener | undefined
  #unheard: unknown[] | undefined

  /** From now on, and for what failed before, `tell` hears of failures. */
  listen(tell: FaultListener): void {
    this.#listener = tell
    for (const error of this.#unheard ?? []) tell(error)
    this.#unheard = undefined
  }

  tell(error: unknown): void {
    if (this.#listener !== undefined) this.#listener(error)
    else this.#unheard = [...(this.#unheard ?? []), error]
  }
}
