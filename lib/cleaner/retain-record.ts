/**
 * Decides which records of a data batch stay. Pure: reads the columns of its
 * rows and marks those that stay. Control batches never come here: a marker's
 * key is no key of a record.
 */

import type { RecordColumns } from '../backend/record-kernel.js'

/** What the rows of one batch have in common. */
export interface RecordRule {
  /**
   * Offsets up to this one were looked at when the map was filled; null where
   * that is so for every row. What lies behind stays.
   */
  readonly latestOffset: bigint | null
  /** The batch's tombstones have not been there for long enough to go. */
  readonly keepsTombstones: boolean
}

export interface RecordVerdict {
  /** Rows that stay. */
  kept: number
  /** Tombstones among them, behind the map's end too: they need a delete horizon. */
  tombstones: number
  /** Rows that go because they have no key. */
  withoutKey: number
}

/**
 * Sets `keep` of rows `[from, from + count)`, whose `superseded` is set, and counts into `verdict`,
 * which is given back.
 */
export function retainRecords(
  columns: RecordColumns,
  from: number,
  count: number,
  rule: RecordRule,
  verdict: RecordVerdict,
): RecordVerdict {
  const { offsets, keySizes, valueSizes, superseded, keep } = columns
  const { latestOffset, keepsTombstones } = rule
  verdict.kept = 0
  verdict.tombstones = 0
  verdict.withoutKey = 0
  for (let row = from; row < from + count; row++) {
    const isBehind = latestOffset !== null && (offsets[row] as bigint) > latestOffset
    const hasKey = (keySizes[row] as number) >= 0
    const hasValue = (valueSizes[row] as number) >= 0
    const stays = isBehind || (hasKey && superseded[row] === 0 && (hasValue || keepsTombstones))
    keep[row] = stays ? 1 : 0
    if (stays) verdict.kept++
    else if (!hasKey) verdict.withoutKey++
    if (stays && !hasValue) verdict.tombstones++
  }
  return verdict
}

/**
 * Whether tombstones of a batch stay. `deleteHorizonMs` is the batch's, null
 * where none is set yet: then they stay, and get one.
 */
export function keepsTombstones(deleteHorizonMs: bigint | null, nowMs: bigint): boolean {
  return deleteHorizonMs === null || nowMs < deleteHorizonMs
}

/**
 * The same for a segment's batches of magic 0 and 1, which cannot hold a
 * horizon: by when it was last written to. `cleanModifiedMs` is that of the
 * last segment of the clean section, undefined where there is none.
 */
export function keepsLegacyTombstones(
  modifiedMs: number,
  cleanModifiedMs: number | undefined,
  deleteRetentionMs: number,
): boolean {
  const horizonMs = cleanModifiedMs === undefined ? 0 : cleanModifiedMs - deleteRetentionMs
  return modifiedMs > horizonMs
}
