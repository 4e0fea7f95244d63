/**
 * Checks of some logs, and the sum of what they took. A log that fails is told
 * of and left out from then on; the others go on.
 */

import { type PartitionLog, PartitionLogError } from '../../index.js'
import type { Context } from '../context.js'
import { describeFailure, exitCodeOf } from '../failure.js'
import { toJson } from '../json.js'

export class Checks {
  readonly #context: Context
  #logs: readonly PartitionLog[]
  readonly #sum = { event: 'checked', logs: 0, checks: 0, segments: 0, sizeInBytes: 0 }

  constructor(context: Context, logs: readonly PartitionLog[]) {
    this.#context = context
    this.#logs = logs
    this.#sum.logs = logs.length
  }

  /** No log is left that could be checked. */
  get areOver(): boolean {
    return this.#logs.length === 0
  }

  async checkAll(): Promise<void> {
    this.#sum.checks++
    for (const log of this.#logs) {
      try {
        const { deletions } = await log.runRetention()
        this.#sum.segments += deletions.length
        for (const { segment } of deletions) this.#sum.sizeInBytes += segment.sizeInBytes
      } catch (error) {
        this.#leaveOut(log, error)
      }
    }
    await this.#context.out.flush()
  }

  async tellSummary(): Promise<void> {
    const { logs, segments, sizeInBytes } = this.#sum
    if (this.#context.json) {
      await this.#context.out.line(toJson(this.#sum))
      return
    }
    const of = `${logs} ${logs === 1 ? 'log' : 'logs'}`
    const what = `${segments} ${segments === 1 ? 'segment' : 'segments'}`
    this.#context.tell(
      segments === 0
        ? `deleted nothing of ${of}; plog explain tells why`
        : `deleted ${what} of ${of}, ${sizeInBytes} bytes; files that still end in .deleted go when the log is next opened`,
    )
  }

  #leaveOut(log: PartitionLog, error: unknown): void {
    if (!(error instanceof PartitionLogError)) throw error
    const { io, json } = this.#context
    io.stderr.write(describeFailure(error, json))
    this.#context.exitCode = Math.max(this.#context.exitCode, exitCodeOf(error))
    this.#logs = this.#logs.filter((other) => other !== log)
  }
}
