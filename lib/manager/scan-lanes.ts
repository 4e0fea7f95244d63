/**
 * The threads on which logs are scanned while a directory is recovered: made
 * when first needed, gone when the logs are open. Whoever needs one later gets
 * a new one.
 */

import type { Backend, Lane } from '../backend/contract.js'

export class ScanLanes {
  readonly #backend: Backend
  readonly #limit: number
  #lanes: Lane[] = []
  #taken = 0

  constructor(backend: Backend, limit: number) {
    this.#backend = backend
    this.#limit = limit
  }

  /** In turn. */
  next(): Lane {
    const index = this.#taken++ % this.#limit
    const lane = this.#lanes[index] ?? this.#backend.openLane('background')
    this.#lanes[index] = lane
    return lane
  }

  async close(): Promise<void> {
    const lanes = this.#lanes
    this.#lanes = []
    this.#taken = 0
    await Promise.all(lanes.map((lane) => lane.close()))
  }
}
