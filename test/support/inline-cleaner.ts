/** A cleaner on the test's own thread and machine, so that its calls are traced, counted and made to fail like all others. */
import type { Backend, Files } from '../../lib/backend/contract.js'
import { IoThrottle } from '../../lib/cleaner/clean-control.js'
import type { CleanJob, CleanResult } from '../../lib/cleaner/clean-job.js'
import type { CleanTools } from '../../lib/cleaner/clean-run.js'
import type { CleanerThread, CleanHost } from '../../lib/cleaner/cleaner-thread.js'
import { type JobTools, runJob } from '../../lib/cleaner/run-job.js'

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

/** No thread of its own: for machines whose calls a test wants to see. The caller's turn does all the work. */
export class InlineCleaner implements CleanerThread {
  readonly #tools: JobTools

  constructor(tools: JobTools) {
    this.#tools = tools
  }

  run(job: CleanJob, host: CleanHost): Promise<CleanResult> {
    return runJob(job, host, this.#tools)
  }

  async close(): Promise<void> {
    // Nothing is kept between two cleanings.
  }
}
