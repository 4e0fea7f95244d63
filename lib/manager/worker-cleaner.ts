/**
 * A cleaner's thread as a worker of Node: started by the first cleaning,
 * keeping the process alive only while one runs.
 */

import { Worker } from 'node:worker_threads'
import type { CleanJob, CleanResult } from '../cleaner/clean-job.js'
import type { CleanerThread, CleanHost } from '../cleaner/cleaner-thread.js'
import { errorOf, failureOf } from '../cleaner/failure.js'
import { IoError } from '../errors.js'
import type { CleanerThreadData, FromCleaner, ToCleaner } from './cleaner-messages.js'

interface Running {
  readonly host: CleanHost
  resolve(result: CleanResult): void
  reject(error: Error): void
}

export class WorkerCleaner implements CleanerThread {
  readonly #data: CleanerThreadData
  #worker: Worker | undefined
  #running: Running | undefined
  /** What the log does with a group; ends whatever becomes of the thread. */
  #swapping: Promise<void> = Promise.resolve()

  constructor(data: CleanerThreadData) {
    this.#data = data
  }

  run(job: CleanJob, host: CleanHost): Promise<CleanResult> {
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#tell({ kind: 'run', job, abort: host.abort.memory })
    return new Promise<CleanResult>((resolve, reject) => {
      this.#running = { host, resolve, reject }
    }).finally(() => {
      this.#running = undefined
      this.#worker?.unref()
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(workerUrl(), {
      name: 'partition-log cleaner',
      execArgv: [],
      workerData: this.#data,
    })
    worker.on('message', (message: FromCleaner) => this.#hear(message))
    worker.on('messageerror', (error) => this.#fail(error))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      this.#fail(undefined)
    })
    return worker
  }

  #tell(message: ToCleaner): void {
    this.#worker?.postMessage(message)
  }

  #hear(message: FromCleaner): void {
    const running = this.#running
    switch (message.kind) {
      case 'progress':
        running?.host.progress(message.progress)
        break
      case 'swap':
        if (running === undefined) break
        this.#swapping = running.host.swap(message.group).then(
          () => this.#tell({ kind: 'swapped', failure: undefined }),
          (error: unknown) => this.#tell({ kind: 'swapped', failure: failureOf(error) }),
        )
        break
      case 'done':
        running?.resolve(message.result)
        break
      case 'failed':
        running?.reject(errorOf(message.failure))
    }
  }

  /** Not before the log has done with a group: until then it is being cleaned. */
  #fail(cause: unknown): void {
    const running = this.#running
    const error = new IoError('ERR_IO', 'the thread of a cleaner ended unexpectedly', {}, cause)
    void this.#swapping.then(() => running?.reject(error))
  }
}

/** The entry beside this file; where this is a source file, its compiled twin, as threads run JavaScript. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = isSource ? '../../dist/manager/cleaner-worker.js' : './cleaner-worker.js'
  return new URL(entry, import.meta.url)
}
