/** A log as the simplest thing that can be one: an array of batches, each an array of records. */
import type { LogRecord } from '../../lib/format/record.js'

export interface ModelRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  /** As `recordLine` gives it. */
  readonly line: string
}

export interface ModelBatch {
  readonly lastOffset: bigint
  readonly records: readonly ModelRecord[]
}

export class LogModel {
  start = 0n
  end = 0n
  batches: readonly ModelBatch[] = []

  append(batches: readonly ModelBatch[]): void {
    this.batches = [...this.batches, ...batches]
    this.end = (this.batches.at(-1)?.lastOffset ?? -1n) + 1n
  }

  /** Whole batches go; the end is where it was asked for. */
  truncateTo(offset: bigint): boolean {
    if (offset >= this.end) return false
    this.batches = this.batches.filter(({ lastOffset }) => lastOffset < offset)
    this.end = offset
    if (this.start > offset) this.start = offset
    return true
  }

  deleteBefore(offset: bigint): void {
    if (offset > this.start) this.start = offset
  }

  /** Records that can be read, from `from` on. */
  records(from = this.start): ModelRecord[] {
    const first = from > this.start ? from : this.start
    return this.batches.flatMap(({ records }) => records).filter(({ offset }) => offset >= first)
  }

  firstSince(timestamp: bigint): ModelRecord | undefined {
    return this.records().find((record) => record.timestamp >= timestamp)
  }

  firstLatest(): ModelRecord | undefined {
    const latest = this.records().reduce((max, { timestamp }) => (timestamp > max ? timestamp : max), -1n)
    return latest < 0n ? undefined : this.firstSince(latest)
  }
}

export function modelRecord(record: LogRecord, line: string): ModelRecord {
  return { offset: record.offset, timestamp: record.timestamp, line }
}
