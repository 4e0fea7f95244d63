/** Compacted logs of several small segments, and what has to be in them. */
import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { collect } from './log.js'
import { START_MS } from './machine.js'

/** Two segments of two batches each are cleaned into one. */
export const COMPACTED: LogConfigInput = {
  cleanupPolicy: ['compact'],
  internalSegmentBytes: 400,
  indexIntervalBytes: 0,
  segmentIndexBytes: 1_200,
  fileDeleteDelayMs: 1_000,
}

/** A record of the model: its key, and its value, null for a tombstone. */
export type Appended = readonly [key: string, value: string | null]

/** What was appended to a log, by offset, and what of it may be missing. */
export class CompactedModel {
  /** By offset, from 0 on. */
  readonly appended: Appended[] = []

  append(log: PartitionLog, ...records: readonly Appended[]): void {
    const timed = records.map(([key, value], n) => ({
      key,
      value,
      timestamp: START_MS - 1_000 + this.appended.length + n,
    }))
    log.append(timed)
    this.appended.push(...records)
  }

  /** Segments of two records each, with nine keys, all of them sealed. */
  fill(log: PartitionLog, segments: number): void {
    for (let n = 0; n < segments; n++) {
      for (let one = 0; one < 2; one++) {
        const serial = this.appended.length
        this.append(log, [`k${serial % 9}`, `v${serial}`])
      }
      log.roll()
    }
  }

  /** Offsets of the last record of each key, and of all from `end` on. */
  staying(end: number): number[] {
    const last = new Map(this.appended.map(([key], offset) => [key, offset]))
    return this.appended.flatMap(([key], offset) =>
      offset >= end || last.get(key) === offset ? [offset] : [],
    )
  }

  /**
   * What a log holds: each record as it was appended, in order, once; none
   * missing that stays. With `isAll` nothing may be missing. From `start` on.
   */
  expectIn(found: readonly Found[], { end = this.appended.length, start = 0, isAll = false } = {}): void {
    const offsets = found.map(({ offset }) => Number(offset))
    expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b))
    for (const { offset, key, value } of found) {
      expect([String(key), value === null ? null : String(value)], `offset ${offset}`).toEqual(
        this.appended[Number(offset)],
      )
    }
    const wanted = (isAll ? this.appended.map((_, offset) => offset) : this.staying(end)).filter(
      (offset) => offset >= start,
    )
    expect(offsets).toEqual(expect.arrayContaining(wanted))
  }
}

export interface Found {
  readonly offset: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
}

export function recordsOf(log: Pick<PartitionLog, 'read'>): Promise<Found[]> {
  return collect(log.read())
}

/** Files that a cleaning has not finished. */
export function unfinishedIn(path: string): string[] {
  return readdirSync(path).filter((name) => /\.(cleaned|swap)$/.test(name))
}
