/**
 * Which of a segment's files have changed since they were last flushed. Every
 * write counts: sizes alone would not tell a batch from another of its size
 * that took its place after a truncation.
 */

export type SegmentFile = 'log' | 'offsetIndex' | 'timeIndex'

export const SEGMENT_FILES: readonly SegmentFile[] = ['log', 'offsetIndex', 'timeIndex']

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

  get isClean(): boolean {
    return SEGMENT_FILES.every((file) => this.#changes[file] === this.#flushed[file])
  }

  /** Nothing was ever written. */
  get isUntouched(): boolean {
    return SEGMENT_FILES.every((file) => this.#changes[file] === 0)
  }

  unflushed(): Unflushed {
    const now = { ...this.#changes }
    return {
      files: SEGMENT_FILES.filter((file) => now[file] > this.#flushed[file]),
      flushed: () => {
        for (const file of SEGMENT_FILES) this.#flushed[file] = Math.max(this.#flushed[file], now[file])
      },
    }
  }
}
