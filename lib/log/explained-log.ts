/**
 * What `explain` answers: plain data about one log at one moment, that can be
 * printed as JSON.
 */

import type { CleanupPolicy } from '../config/settings.js'
import type { CleaningExplanation } from './cleaning/explain-cleaning.js'
import type { Hold } from './explain-retention.js'
import type { RollExplanation } from './explain-roll.js'
import type { CheckSchedule } from './log-host.js'
import type { DeletionCause, RuleOff } from './retention-plan.js'

/**
 * Sizes in bytes, times in ms since the epoch. A time that is null never
 * comes as things are. Every time holds if nobody appends and no setting
 * changes. As JSON, 64-bit numbers are decimal text and a setting without end
 * is null.
 */
export interface LogExplanation {
  readonly log: string
  /** The time that all of this is told for. */
  readonly nowMs: number
  readonly logStartOffset: bigint
  readonly highWatermark: bigint
  readonly logEndOffset: bigint
  readonly sizeInBytes: number
  readonly settings: {
    /** Null for a log that somebody else made and for which no settings were given: what they are is not known here. */
    readonly cleanupPolicy: readonly CleanupPolicy[] | null
    readonly retentionBytes: number
    readonly retentionMs: number
    readonly fileDeleteDelayMs: number
  }
  readonly roll: RollExplanation
  readonly nextCheck: NextCheck
  /** Rules of deletion that the settings leave out; empty where settings are not known. */
  readonly rulesOff: readonly RuleOff[]
  /** By rising base offset; the last is active. */
  readonly segments: readonly SegmentExplanation[]
  /** Segments that are deleted and whose files still lie there, renamed to `.deleted`. */
  readonly waiting: readonly WaitingSegments[]
  readonly cleaning: CleaningExplanation
  toJSON(): object
}

/** Kafka's three delays are `expiresMs`, `checkMs` and `filesRemovedMs`. */
export interface SegmentExplanation {
  readonly baseOffset: bigint
  /** First offset of the next segment; the log's end for the active one. */
  readonly nextOffset: bigint
  readonly active: boolean
  readonly sizeInBytes: number
  /** Largest timestamp of its records; -1 where none has one. */
  readonly largestTimestamp: bigint
  /** When its `.log` was last written to: its age counts from there where no record has a timestamp. */
  readonly modifiedMs: number
  /** The rule by which the next check takes it; null: it stays beyond. Where no check is known of, one at `nowMs` is meant. */
  readonly goes: DeletionCause | null
  /** Why it is still there at `nowMs`, rule by rule, what counts most first; empty where it is due already. */
  readonly stays: readonly Hold[]
  /** When its newest record is as old as `retention.ms`. */
  readonly expiresMs: number | null
  /** From when on a check takes it: then it and all older ones have expired. */
  readonly dueMs: number | null
  /** When that check is; null also where its time is not known here. */
  readonly checkMs: number | null
  /** When its files are removed: `file.delete.delay.ms` after that check. */
  readonly filesRemovedMs: number | null
}

export type NextCheck =
  | CheckSchedule
  /** The log is only read here: checks are made by a process that has it open to write. */
  | { readonly kind: 'elsewhere' }

export interface WaitingSegments {
  readonly baseOffsets: readonly bigint[]
  readonly sizeInBytes: number
  /** When they are removed; null where that is another process's doing. Readers that have begun finish all the same. */
  readonly untilMs: number | null
}
