/**
 * What a start found and did to a log before it was served: a plain value for
 * `log.recovery`, the logger, `partition-log:recover` and `plog recover`.
 */

import type { ScanStop } from '../../backend/contract.js'
import type { ScanCause } from './recovery-plan.js'

export interface ScannedReport {
  readonly baseOffset: bigint
  readonly cause: ScanCause
  /** Bytes of its `.log` as they were found. */
  readonly sizeInBytes: number
  /** Of these, sound from the start on. */
  readonly validBytes: number
  /** Offset behind the last sound batch. */
  readonly nextOffset: bigint
}

export interface CutReport {
  readonly path: string
  readonly baseOffset: bigint
  /** The file ends here now. */
  readonly position: number
  readonly removedBytes: number
  /** The log, or what is left of the segment, ends here. */
  readonly offset: bigint
  /** What the scan found at the position. */
  readonly found: Exclude<ScanStop, 'end' | 'limit'>
  /** Why it could be cut. */
  readonly because: string
}

export interface RemovedSegmentReport {
  readonly path: string
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  readonly because: string
}

export interface SplitReport {
  readonly baseOffset: bigint
  /** Of the segments that took its place. */
  readonly into: readonly bigint[]
}

export interface RecoveryReport {
  /** The log directory had its clean-shutdown marker. */
  readonly wasClean: boolean
  /** The checkpointed one; null where no checkpoint tells. */
  readonly recoveryPoint: bigint | null
  readonly logStartOffset: bigint
  readonly logEndOffset: bigint
  readonly segmentsScanned: number
  readonly bytesScanned: number
  readonly ms: number
  readonly scanned: readonly ScannedReport[]
  readonly cuts: readonly CutReport[]
  readonly removedSegments: readonly RemovedSegmentReport[]
  readonly splits: readonly SplitReport[]
  /** Segments that an interrupted cleaning or splitting had ready, by base offset. */
  readonly swappedIn: readonly bigint[]
  /** Temporary files and orphans that were removed. */
  readonly removedFiles: readonly string[]
  /** Where what was cut or removed was copied to, file by file. */
  readonly quarantined: readonly string[]
  /** Flushed once, by the checkpoint, and not in the files: the log ends below its recovery point. */
  readonly missingOffsets: bigint
}

/** Collects while a recovery goes on. */
export class ReportBuilder {
  readonly scanned: ScannedReport[] = []
  readonly cuts: CutReport[] = []
  readonly removedSegments: RemovedSegmentReport[] = []
  readonly splits: SplitReport[] = []
  readonly swappedIn: bigint[] = []
  readonly removedFiles: string[] = []
  readonly quarantined: string[] = []

  /** Nothing had to be done. */
  get isEmpty(): boolean {
    return [this.scanned, this.splits, this.removedSegments, this.swappedIn, this.removedFiles].every(
      (list) => list.length === 0,
    )
  }

  finish(facts: {
    wasClean: boolean
    recoveryPoint: bigint | undefined
    logStartOffset: bigint
    logEndOffset: bigint
    ms: number
  }): RecoveryReport {
    const { recoveryPoint = null, logEndOffset } = facts
    const missing = recoveryPoint === null ? 0n : recoveryPoint - logEndOffset
    return {
      ...facts,
      recoveryPoint,
      segmentsScanned: this.scanned.length,
      bytesScanned: this.scanned.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
      scanned: this.scanned,
      cuts: this.cuts,
      removedSegments: this.removedSegments,
      splits: this.splits,
      swappedIn: this.swappedIn,
      removedFiles: this.removedFiles,
      quarantined: this.quarantined,
      missingOffsets: missing > 0n ? missing : 0n,
    }
  }
}
