/**
 * Promises of a lane's operations in flight. Native code answers with the
 * number that an operation was posted with; the answer is read in that very
 * call, before another can overwrite it.
 */

/** Reads the answer of one operation; throws where it failed. */
export type ReadAnswer<T> = (payload: unknown) => T

interface Waiting {
  readonly read: ReadAnswer<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export class Completions {
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  /** What the lane is opened with. */
  readonly completed = (id: number, payload: unknown): void => {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    try {
      waiting?.resolve(waiting.read(payload))
    } catch (error) {
      waiting?.reject(error)
    }
  }

  /** Posts an operation under a new number; resolves with what `read` makes of its answer. */
  post<T>(start: (id: number) => void, read: ReadAnswer<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++this.#lastId
      // Throws where native code refuses the arguments: then nothing was posted.
      start(id)
      this.#waiting.set(id, { read, resolve: resolve as (value: unknown) => void, reject })
    })
  }
}
