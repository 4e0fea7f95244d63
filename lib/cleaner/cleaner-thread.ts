/**
 * The thread that a cleaning runs on, as its log's side sees it.
 */

import type { AbortFlag } from './clean-control.js'
import type { CleanedGroup, CleanJob, CleanProgress, CleanResult } from './clean-job.js'

/** What a cleaning asks of the thread that started it. */
export interface CleanHost {
  readonly abort: AbortFlag
  progress(progress: CleanProgress): void
  /** Puts the outputs in place of the inputs; the cleaning goes on when it resolves. A rejection ends the cleaning with that error. */
  swap(group: CleanedGroup): Promise<void>
}

export interface CleanerThread {
  /**
   * One cleaning; one at a time. Rejects with what ended it, `CleaningAborted`
   * where that was `host.abort`; then no `.cleaned` file of it is left.
   */
  run(job: CleanJob, host: CleanHost): Promise<CleanResult>
  /** Ends the thread, and gives its memory back. Idempotent. */
  close(): Promise<void>
}
