/**
 * What a log knows of its cleaning: how far it has come, whether one runs,
 * and why none may. One cleaning at a time; whatever takes records or files
 * away from under it ends it, and it never swaps anything in after that.
 */

import type { PartitionLogError } from '../../errors.js'

/** A cleaning under way. */
export interface RunningCleaning {
  readonly startedMs: number
  readonly firstDirtyOffset: bigint
  readonly firstUncleanableOffset: bigint
  /** Bytes read so far of what is to be read, dirty section and copy together. */
  doneBytes: number
  totalBytes: number
}

/** Why a log is not cleaned for now. */
export interface CleaningSetAside {
  readonly error: PartitionLogError
  readonly sinceMs: number
  /** Failures in a row. */
  readonly failures: number
  /** When it is tried again. */
  readonly retryMs: number
}

/** What one cleaning did. */
export interface CleaningReport {
  /** The dirty section that was cleaned: `[firstDirtyOffset, endOffset)`. */
  readonly firstDirtyOffset: bigint
  readonly endOffset: bigint
  /** Of all segments read, and of what was written in their place. */
  readonly bytesRead: number
  readonly bytesWritten: number
  readonly recordsRead: number
  readonly recordsWritten: number
  readonly segmentsRead: number
  readonly segmentsWritten: number
  /** Keys that the map held, and how many it has room for. */
  readonly keys: number
  readonly slots: number
  /** Filling the map, and all of it. */
  readonly mapMs: number
  readonly totalMs: number
}

export class LogCleaning {
  /** The first offset that was not cleaned, as the directory's checkpoint has it or is about to; undefined where it has no line. */
  checkpoint: bigint | undefined
  setAside: CleaningSetAside | undefined
  last: { readonly report: CleaningReport; readonly endedMs: number } | undefined
  cleanings = 0
  #running: RunningCleaning | undefined
  #abort: (() => void) | undefined
  #isAborted = false

  get running(): RunningCleaning | undefined {
    return this.#running
  }

  /** Whether the one under way must not change the log any more. */
  get isAborted(): boolean {
    return this.#isAborted
  }

  /** `abort` is called at most once, and may be called within. */
  begin(running: RunningCleaning, abort: () => void): void {
    this.#running = running
    this.#isAborted = false
    this.#abort = abort
  }

  /** It came to its end. */
  ended(report: CleaningReport, endedMs: number): void {
    this.cleanings++
    this.last = { report, endedMs }
    this.setAside = undefined
  }

  end(): void {
    this.#running = undefined
    this.#abort = undefined
  }

  /** From this turn on the one under way swaps nothing in; it ends soon. What it is just swapping in is finished. */
  abort(): void {
    if (this.#running === undefined || this.#isAborted) return
    this.#isAborted = true
    this.#abort?.()
  }
}
