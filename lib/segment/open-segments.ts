/**
 * Bounds how many sealed segments have their files open: the least recently
 * used is closed first. The active segment is never in here.
 */

/** What can be closed and will open itself again when it is next used. */
export interface Closable {
  closeFiles(): Promise<void>
}

/** Three descriptors and two mappings a segment: 2,000 and 1,000 at most stay open. */
export const DEFAULT_OPEN_SEGMENTS = 500

export class OpenSegments {
  readonly #limit: number
  readonly #onError: (error: unknown) => void
  /** In order of use, the least recent first. */
  readonly #open = new Set<Closable>()

  constructor(limit: number, onError: (error: unknown) => void) {
    this.#limit = limit
    this.#onError = onError
  }

  /** Marks `segment` as used just now; may close another. */
  touch(segment: Closable): void {
    this.#open.delete(segment)
    this.#open.add(segment)
    for (const oldest of this.#open) {
      if (this.#open.size <= this.#limit) return
      this.#open.delete(oldest)
      oldest.closeFiles().catch(this.#onError)
    }
  }

  forget(segment: Closable): void {
    this.#open.delete(segment)
  }
}
