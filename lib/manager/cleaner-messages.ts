/** What crosses between a cleaner's thread and the one that started it. */

import type { BackendName } from '../backend/contract.js'
import type { CleanedGroup, CleanJob, CleanProgress, CleanResult } from '../cleaner/clean-job.js'
import type { ThreadFailure } from '../cleaner/failure.js'

/** Given when the thread starts. */
export interface CleanerThreadData {
  readonly backend: BackendName
  readonly bytesPerSecond: number
  readonly throttle: BigInt64Array
}

export type ToCleaner =
  | { readonly kind: 'run'; readonly job: CleanJob; readonly abort: Int32Array }
  /** The outputs of the last group are in place; or why they are not. */
  | { readonly kind: 'swapped'; readonly failure: ThreadFailure | undefined }

export type FromCleaner =
  | { readonly kind: 'progress'; readonly progress: CleanProgress }
  | { readonly kind: 'swap'; readonly group: CleanedGroup }
  | { readonly kind: 'done'; readonly result: CleanResult }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure }
