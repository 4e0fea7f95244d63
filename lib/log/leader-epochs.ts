/**
 * Which leader epoch began at which offset. Immutable; epochs and their start
 * offsets rise. Follows Kafka's LeaderEpochFileCache.
 */

import type { EpochEntry } from '../checkpoint/leader-epoch-checkpoint.js'

export class LeaderEpochs {
  readonly entries: readonly EpochEntry[]

  constructor(entries: readonly EpochEntry[]) {
    this.entries = entries
  }

  get latest(): EpochEntry | undefined {
    return this.entries[this.entries.length - 1]
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
