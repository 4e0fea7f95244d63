/**
 * What a log makes durable besides its segments, in the right order: epochs
 * first, as a recovery finds only those from its recovery point on.
 */

import type { Segment } from '../segment/segment.js'
import { EpochFile } from './epoch-file.js'
import type { Flusher } from './flusher.js'
import type { LogCore } from './log-core.js'
import type { LogHost } from './log-host.js'
import type { LogOffsets } from './log-state.js'

export class LogRecords {
  readonly #core: LogCore
  readonly #host: LogHost
  readonly #flusher: Flusher
  readonly #epochFile: EpochFile

  constructor(core: LogCore, host: LogHost, flusher: Flusher) {
    this.#core = core
    this.#host = host
    this.#flusher = flusher
    this.#epochFile = new EpochFile(core)
  }

  /** The core's own hooks lead here. */
  serve(): void {
    this.#core.saveEpochs = this.saveEpochs
    this.#core.saveOffsets = () => this.saveOffsets()
    this.#core.saveFirstDirtyOffset = (offset) => this.#saveFirstDirtyOffset(offset)
    // A failure takes the log offline and is told there; nobody waits here.
    this.#core.flushBehind = (end) => void this.#flusher.flushTo(end).catch(() => undefined)
    this.#core.durableBelow = (end) => this.#flusher.whenDurable(end)
  }

  /** Offsets into the directory's checkpoints. Bound, as are the others: they are handed on one by one. */
  readonly saveOffsets = async (offsets: LogOffsets = this.#core.state): Promise<void> => {
    await this.#epochFile.save()
    await this.#host.checkpoint(offsets, (this.#core.state.segments[0] as Segment).baseOffset)
  }

  readonly saveEpochs = (): Promise<void> => this.#epochFile.save()

  /** Everything appended, and the leader epochs. */
  readonly flushAll = async (): Promise<void> => {
    await this.#flusher.flushTo(this.#core.state.logEndOffset)
    await this.#epochFile.save()
  }

  /** Known from this turn on: a truncation that comes while it is being written has to lower it. */
  async #saveFirstDirtyOffset(offset: bigint | undefined): Promise<void> {
    const { cleaning } = this.#core
    const before = cleaning.checkpoint
    cleaning.checkpoint = offset
    try {
      await this.#host.saveFirstDirtyOffset?.(offset)
    } catch (error) {
      // It is to be written again, unless somebody has lowered it meanwhile.
      if (cleaning.checkpoint === offset) cleaning.checkpoint = before
      throw error
    }
  }
}
