/** A cleaner on the test's own thread and machine, so that its calls are traced, counted and made to fail like all others. */
import type { Backend, Files } from '../../lib/backend/contract.js'
import { IoThrottle } from '../../lib/cleaner/clean-control.js'
import type { CleanTools } from '../../lib/cleaner/clean-run.js'
import { InlineCleaner } from '../../lib/cleaner/run-job.js'

export interface CleanerMachine extends Pick<CleanTools, 'clock'> {
  readonly maxSegmentBytes?: number | undefined
  readonly backend: Backend
  readonly files: Files
}

export function inlineCleaner({ backend, files, clock, maxSegmentBytes }: CleanerMachine): InlineCleaner {
  return new InlineCleaner({
    ...{ backend, files, clock },
    // No test that sees every call compresses anything.
    loadCodec: () => Promise.resolve(),
    throttle: new IoThrottle(Number.POSITIVE_INFINITY, () => 0n),
    ...(maxSegmentBytes === undefined ? {} : { maxSegmentBytes }),
  })
}
