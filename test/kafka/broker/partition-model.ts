/**
 * What a partition must hold, kept by the side that writes: who writes tells
 * it what was written and which offsets were given. Everything that reads,
 * Kafka's consumers and our engine, is compared with it.
 */
import type { Entry, RecordForm } from './entries.js'
import { formOf } from './entries.js'

export const ISOLATIONS = ['read_uncommitted', 'read_committed'] as const
export type Isolation = (typeof ISOLATIONS)[number]

export interface Transaction {
  outcome: 'open' | 'committed' | 'aborted'
}

interface Written {
  readonly entry: Entry
  readonly offset: bigint
  readonly transaction: Transaction | undefined
  /** Known at once where we wrote it; of a broker's record learned from who reads it first. */
  leaderEpoch: number | undefined
}

/** An offset with its time; a marker's is not known, but later than that of any record here. */
interface Place {
  readonly offset: bigint
  readonly timestamp?: bigint
}

export interface Facts {
  readonly transaction?: Transaction | undefined
  readonly leaderEpoch?: number
}

export class PartitionModel {
  readonly topic: string
  readonly partition: number
  start = 0n
  end = 0n
  #written: Written[] = []
  #markers: bigint[] = []

  constructor(topic: string, partition: number) {
    this.topic = topic
    this.partition = partition
  }

  get name(): string {
    return `${this.topic}-${this.partition}`
  }

  /** Where the first open transaction begins; the end where there is none. */
  get lastStableOffset(): bigint {
    return this.#written.find(({ transaction }) => transaction?.outcome === 'open')?.offset ?? this.end
  }

  /** The first that is open. */
  openTransaction(): Transaction {
    const written = this.#written.find(({ transaction }) => transaction?.outcome === 'open')
    if (written?.transaction === undefined) throw new Error(`${this.name} has no open transaction`)
    return written.transaction
  }

  /** Throws unless the offsets are the next ones. */
  wrote(entries: readonly Entry[], offsets: readonly bigint[], { transaction, leaderEpoch }: Facts = {}) {
    for (const [index, entry] of entries.entries()) {
      if (offsets[index] !== this.end) throw new Error(`${this.name}: ${offsets[index]} is not ${this.end}`)
      this.#written.push({ entry, offset: this.end, transaction, leaderEpoch })
      this.end += 1n
    }
  }

  /** The next batch begins at `offset`, with a gap before it. */
  skipTo(offset: bigint): void {
    this.end = offset
  }

  /** A marker of the transaction's end takes an offset. */
  decided(transaction: Transaction, outcome: 'committed' | 'aborted'): void {
    transaction.outcome = outcome
    this.#markers.push(this.end)
    this.end += 1n
  }

  deletedBefore(offset: bigint): void {
    this.start = offset
  }

  /** No segment below `offset` is left: nobody finds what was in them any more, not even by time. */
  segmentsGoneBelow(offset: bigint): void {
    this.#written = this.#written.filter((written) => written.offset >= offset)
    this.#markers = this.#markers.filter((marker) => marker >= offset)
  }

  /** Of the records below `offset` only the last of each key stays, as after a cleaning up to there. */
  cleanedBelow(offset: bigint): void {
    const last = new Map<string | undefined, bigint>()
    const keyOf = ({ entry }: Written) => entry.key?.toString('base64')
    for (const written of this.#written) if (written.offset < offset) last.set(keyOf(written), written.offset)
    this.#written = this.#written.filter(
      (written) => written.offset >= offset || last.get(keyOf(written)) === written.offset,
    )
  }

  /** Offsets of the records that a reader is given. */
  offsets(isolation: Isolation): bigint[] {
    return this.#readable(isolation).map(({ offset }) => offset)
  }

  timestamps(): bigint[] {
    return this.#written.map(({ entry }) => entry.timestamp)
  }

  /** The records that a reader is given from `from` on. */
  forms(isolation: Isolation, from = 0n): RecordForm[] {
    return this.#readable(isolation)
      .filter(({ offset }) => offset >= from)
      .map(({ entry, offset, leaderEpoch = -1 }) => formOf(entry, offset, leaderEpoch))
  }

  /** Takes leader epochs that are not known yet from what was read; later readers must agree. */
  learnEpochs(seen: readonly RecordForm[]): void {
    const epochs = new Map(seen.map(({ offset, leaderEpoch }) => [offset, leaderEpoch]))
    for (const written of this.#written) written.leaderEpoch ??= epochs.get(String(written.offset))
  }

  /** Our answer to the first record with a time from `time` on; a marker will do, as for a broker. */
  firstFrom(time: bigint): Place | null {
    const isFrom = ({ offset, timestamp = time }: Place) => offset >= this.start && timestamp >= time
    return this.#places().find(isFrom) ?? null
  }

  /**
   * A broker's answer to the same. It looks only into the first segment whose largest time reaches `time`, also one
   * that lies below the log's start, and a marker of a transaction's end will do, which has the time of its writing.
   * `bases` are the base offsets of all segments, in order.
   */
  firstByBroker(time: bigint, isolation: Isolation, bases: readonly bigint[]): Place | null {
    const reach = [...this.#places()].filter(({ timestamp }) => timestamp === undefined || timestamp >= time)
    const [first] = reach
    if (first === undefined) return null
    const next = bases.find((base) => base > first.offset) ?? this.end
    const limit = isolation === 'read_committed' ? this.lastStableOffset : this.end
    return reach.find(({ offset }) => offset >= this.start && offset < next && offset < limit) ?? null
  }

  /** Records and markers, in order. */
  #places(): Place[] {
    const records = this.#written.map(({ offset, entry }) => ({ offset, timestamp: entry.timestamp }))
    const markers: Place[] = this.#markers.map((offset) => ({ offset }))
    return [...records, ...markers].sort((a, b) => (a.offset < b.offset ? -1 : 1))
  }

  #readable(isolation: Isolation): Written[] {
    return this.#written.filter(({ offset, transaction }) => {
      if (offset < this.start) return false
      if (isolation === 'read_uncommitted') return true
      return offset < this.lastStableOffset && transaction?.outcome !== 'aborted'
    })
  }
}
