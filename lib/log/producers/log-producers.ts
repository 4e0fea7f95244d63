/**
 * What one log holds of producers: the table, the aborted transactions of its
 * segments, and which snapshots lie in its directory.
 */

import type { ProducerEntry } from '../../format/producer-snapshot.js'
import { maxOffset } from '../log-state.js'
import { AbortedTransactions } from './aborted-transactions.js'
import { ProducerTable } from './producer-table.js'

/** A snapshot to be written. */
export interface TakenSnapshot {
  /** Its name: the offset behind the last batch that it knows. */
  readonly offset: bigint
  readonly entries: readonly ProducerEntry[]
}

export class LogProducers {
  readonly table = new ProducerTable()
  readonly aborted = new AbortedTransactions()
  /** Offsets of the snapshots in the directory, those still being written too. */
  readonly snapshots = new Set<bigint>()
  /** No snapshot at or below is worth taking. */
  lastSnapshotOffset = 0n

  get latestSnapshot(): bigint | undefined {
    let latest: bigint | undefined
    for (const offset of this.snapshots) if (latest === undefined || offset > latest) latest = offset
    return latest
  }

  /** The snapshot due at the table's end; undefined where one was taken there or behind. Counts as written from now on. */
  takeSnapshot(): TakenSnapshot | undefined {
    const offset = this.table.mapEndOffset
    if (offset <= this.lastSnapshotOffset) return undefined
    this.lastSnapshotOffset = offset
    this.snapshots.add(offset)
    return { offset, entries: this.table.entries() }
  }

  /** The log starts at `logStartOffset` from now on: what ended below is decided, and nothing else is forgotten. */
  startAt(logStartOffset: bigint): void {
    this.table.decideBelow(logStartOffset)
    this.table.mapEndOffset = maxOffset(this.table.mapEndOffset, logStartOffset)
    this.lastSnapshotOffset = this.latestSnapshot ?? logStartOffset
  }
}
