/**
 * A job on this thread: the cleaning itself between what its log's side asks
 * for (stop, go slower) and what it is told (progress, groups to swap).
 */

import type { IoThrottle } from './clean-control.js'
import type { CleanJob, CleanProgress, CleanResult } from './clean-job.js'
import { cleanLog } from './clean-log.js'
import type { CleanTools } from './clean-run.js'
import type { CleanHost } from './cleaner-thread.js'

export interface JobTools extends CleanTools {
  readonly throttle: IoThrottle
}

/** Told at most so often, in parts of all there is to read. */
const PROGRESS_STEPS = 100

/** Rejects with what ended the cleaning; `.cleaned` files that were not swapped in are gone then. */
export function runJob(
  job: CleanJob,
  host: CleanHost,
  { throttle, ...tools }: JobTools,
): Promise<CleanResult> {
  return cleanLog(job, tools, {
    checkpoint(bytes) {
      host.abort.check()
      throttle.take(bytes, host.abort)
    },
    progress: inSteps((progress) => host.progress(progress)),
    // Whether it may still be is the log's side to decide: the files are its own from here on.
    swap: (group) => host.swap(group),
  })
}

function inSteps(tell: (progress: CleanProgress) => void) {
  let phase: CleanProgress['phase'] | undefined
  let nextBytes = 0
  return (progress: CleanProgress) => {
    if (
      progress.phase === phase &&
      progress.doneBytes < nextBytes &&
      progress.doneBytes < progress.totalBytes
    )
      return
    phase = progress.phase
    nextBytes = progress.doneBytes + progress.totalBytes / PROGRESS_STEPS
    tell(progress)
  }
}
