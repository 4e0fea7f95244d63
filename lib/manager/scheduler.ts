/**
 * Background work, again and again, by an injected clock. A task never runs
 * beside itself, and none keeps the process alive. A run that fails is told
 * and does not end the task: what failed is tried again when it is next due.
 */

import type { Clock } from '../base/clock.js'

export interface TaskTimes {
  readonly firstDelayMs: number
  /**
   * From the start of one run to that of the next, or later where a run takes longer. `Infinity`: the task never runs;
   * 0 or less: once.
   */
  readonly intervalMs: number
}

export interface ScheduledTask {
  readonly name: string
  /** When the next run is due, ms since the epoch; undefined while one runs, or where none will. */
  readonly nextRunMs: number | undefined
  /** No further run begins; resolves when one under way has ended. */
  stop(): Promise<void>
}

export class Scheduler {
  readonly #clock: Clock
  readonly #onError: (task: string, error: unknown) => void
  readonly #tasks = new Set<Task>()
  #isClosed = false

  /** `onError` gets what a run threw. */
  constructor(clock: Clock, onError: (task: string, error: unknown) => void) {
    this.#clock = clock
    this.#onError = onError
  }

  every(name: string, times: TaskTimes, work: () => void | Promise<void>): ScheduledTask {
    const task = new Task(name, this.#clock, times, async () => {
      try {
        await work()
      } catch (error) {
        this.#tell(name, error)
      }
    })
    this.#tasks.add(task)
    if (!this.#isClosed) task.start()
    return task
  }

  /** The host's own fault must end neither the task nor, as a rejection that nobody handles, the process. */
  #tell(task: string, error: unknown): void {
    try {
      this.#onError(task, error)
    } catch (failure) {
      process.emitWarning(`the failure of ${task} could not be told: ${failure}`)
    }
  }

  /** Stops every task; resolves when what was running has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#tasks].map((task) => task.stop()))
  }
}

class Task implements ScheduledTask {
  readonly name: string
  readonly #clock: Clock
  readonly #times: TaskTimes
  readonly #work: () => Promise<void>
  #cancel: (() => void) | undefined
  #running: Promise<void> | undefined
  #isStopped = false
  nextRunMs: number | undefined

  constructor(name: string, clock: Clock, times: TaskTimes, work: () => Promise<void>) {
    this.name = name
    this.#clock = clock
    this.#times = times
    this.#work = work
  }

  start(): void {
    this.#wait(this.#times.firstDelayMs)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.nextRunMs = undefined
    this.#cancel?.()
    await this.#running
  }

  #wait(delayMs: number): void {
    if (this.#isStopped || this.#times.intervalMs === Number.POSITIVE_INFINITY) return
    this.nextRunMs = this.#clock.nowMs() + delayMs
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#running = this.#run()
    })
  }

  async #run(): Promise<void> {
    const startedMs = this.#clock.nowMs()
    this.nextRunMs = undefined
    await this.#work()
    this.#running = undefined
    // A clock that was set back must not put the next run off.
    const tookMs = Math.max(0, this.#clock.nowMs() - startedMs)
    if (this.#times.intervalMs > 0) this.#wait(Math.max(1, this.#times.intervalMs - tookMs))
  }
}
