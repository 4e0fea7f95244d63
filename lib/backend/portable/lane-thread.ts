/**
 * The thread behind a lane: started by the first operation, kept alive (and
 * keeping the process alive) only while operations are pending. Where the
 * thread ends unasked, what is pending fails and the next operation starts a
 * new one.
 */

import { Worker } from 'node:worker_threads'
import { IoError } from '../../errors.js'
import { errorOf, type LaneAnswer, type LaneOperation, type LaneReply, restored } from './lane-operation.js'

interface Pending {
  resolve(answer: LaneAnswer): void
  reject(error: Error): void
}

export class LaneThread {
  #worker: Worker | undefined
  #nextId = 0
  readonly #pending = new Map<number, Pending>()
  #onIdle: (() => void) | undefined

  /** Runs `operation` after those asked for before. */
  run(operation: LaneOperation): Promise<LaneAnswer> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, operation })
    })
  }

  /** Resolves when nothing is pending and the thread has ended. */
  async end(): Promise<void> {
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(workerUrl(), { name: 'partition-log lane', execArgv: [] })
    worker.on('message', (reply: LaneReply) => this.#settle(reply))
    worker.on('messageerror', (error) => this.#failAll(error))
    worker.on('error', (error) => this.#failAll(error))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      this.#failAll()
    })
    return worker
  }

  #settle({ id, answer, failure }: LaneReply): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (failure === undefined) pending?.resolve(restored(answer))
    else pending?.reject(errorOf(failure))
    this.#checkIdle()
  }

  #failAll(cause?: unknown): void {
    const failed = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of failed)
      reject(new IoError('ERR_IO', 'the thread of a lane ended unexpectedly', {}, cause))
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (this.#pending.size > 0) return
    this.#worker?.unref()
    this.#onIdle?.()
  }
}

/** The entry beside this file; where this is a source file, its compiled twin, as threads run JavaScript. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = isSource ? '../../../dist/backend/portable/lane-worker.js' : './lane-worker.js'
  return new URL(entry, import.meta.url)
}
