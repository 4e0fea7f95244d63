/**
 * Which leader epoch began at which offset. Immutable; epochs and their start
 * offsets rise. Follows Kafka's LeaderEpochFileCache.
 */

import type { EpochEntry } from '../checkpoint/leader-epoch-checkpoint.js'

/** A leader epoch, and the first offset that is not its own any more. */
export interface EpochEnd {
  readonly epoch: number
  readonly endOffset: bigint
}

export class LeaderEpochs {
  readonly entries: readonly EpochEntry[]

  constructor(entries: readonly EpochEntry[]) {
    this.entries = entries
  }

  get latest(): EpochEntry | undefined {
    return this.entries[this.entries.length - 1]
  }

  /**
   * Where `epoch` ended, in a log that ends at `logEndOffset`: the largest known epoch at or below it, and the start of
   * the next one. Null for an epoch that nobody can know here, -1 or above the latest. Of an epoch from before the first
   * known one only that is known: it ended by the first one's start. Follows LeaderEpochFileCache.endOffsetFor.
   */
  endOffsetFor(epoch: number, logEndOffset: bigint): EpochEnd | null {
    if (epoch < 0) return null
    if (epoch === this.latest?.epoch) return { epoch, endOffset: logEndOffset }
    const next = this.entries.find((entry) => entry.epoch > epoch)
    if (next === undefined) return null
    const known = this.entries.findLast((entry) => entry.epoch <= epoch)
    return { epoch: known?.epoch ?? epoch, endOffset: next.startOffset }
  }

  /** With `epoch` beginning at `startOffset`; itself where that changes nothing. */
  assigned(epoch: number, startOffset: bigint): LeaderEpochs {
    const { latest } = this
    if (epoch < 0) return this
    if (latest !== undefined && epoch === latest.epoch && startOffset >= latest.startOffset) return this
    const kept = this.entries.filter((entry) => entry.epoch < epoch && entry.startOffset < startOffset)
    return new LeaderEpochs([...kept, { epoch, startOffset }])
  }

  /** Without what lies below `startOffset`: the epoch that it belongs to begins there. */
  truncatedFromStart(startOffset: bigint): LeaderEpochs {
    const first = this.entries.findLast((entry) => entry.startOffset <= startOffset)
    if (first === undefined || (first === this.entries[0] && first.startOffset === startOffset)) return this
    const later = this.entries.filter((entry) => entry.startOffset > startOffset)
    return new LeaderEpochs([{ epoch: first.epoch, startOffset }, ...later])
  }

  /** Without the epochs that begin at `endOffset` or behind it. */
  truncatedFromEnd(endOffset: bigint): LeaderEpochs {
    if (this.latest === undefined || this.latest.startOffset < endOffset) return this
    return new LeaderEpochs(this.entries.filter((entry) => entry.startOffset < endOffset))
  }
}

export const NO_EPOCHS = new LeaderEpochs([])
