/**
 * Which of a segment's files have changed since they were last flushed. Every
 * write counts: sizes alone would not tell a batch from another of its size
 * that took its place after a truncation. Room that is given to indexes and
 * taken back does not count: nothing lies in it.
 */

export type SegmentFile = 'log' | 'offsetIndex' | 'timeIndex'

const FILES: readonly SegmentFile[] = ['log', 'offsetIndex', 'timeIndex']

/** Files that were dirty at one moment, and what to call when they, as they were then, are on disk. */
export interface Unflushed {
  readonly files: readonly SegmentFile[]
  flushed(): void
}

export class FlushMarks {
  readonly #changes = { log: 0, offsetIndex: 0, timeIndex: 0 }
  readonly #flushed = { log: 0, offsetIndex: 0, timeIndex: 0 }

  changed(...files: readonly SegmentFile[]): void {
    for (const file of files) this.#changes[file]++
  }

  /** The same as `changed('log')`: with every append. */
  logChanged(): void {
    this.#changes.log++
  }

  get isClean(): boolean {
    return FILES.every((file) => this.#changes[file] === this.#flushed[file])
  }

  /** Nothing was written since the files were found. */
  get isUntouched(): boolean {
    return FILES.every((file) => this.#changes[file] === 0)
  }

  unflushed(): Unflushed {
    const now = { ...this.#changes }
    return {
      files: FILES.filter((file) => now[file] > this.#flushed[file]),
      flushed: () => {
        for (const file of FILES) this.#flushed[file] = Math.max(this.#flushed[file], now[file])
      },
    }
  }
}
