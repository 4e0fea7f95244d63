/**
 * What a log asks of the directory that holds it, and of whoever keeps house
 * there.
 */

import type { LogConfig } from '../config/settings.js'
import type { CleaningReport } from './cleaning/log-cleaning.js'
import type { LogOffsets } from './log-state.js'

export interface LogHost {
  /** Writes the log's offsets into the directory's checkpoints; durable on return. */
  checkpoint(offsets: LogOffsets, firstBaseOffset: bigint): Promise<void>
  /** Writes how far the log is cleaned into the cleaner's checkpoint (undefined: it has no line there); durable on return. */
  saveFirstDirtyOffset?(offset: bigint | undefined): Promise<void>
  /** The log is about to be closed: work on it from outside ends. */
  closing?(): Promise<void>
  /** The log is closed: all on disk (`clean`), or not. */
  closed(clean: boolean): Promise<void>
  /** When retention is next checked for a log with these settings; absent or undefined where that is another's to do. */
  retentionChecks?(config: LogConfig): CheckSchedule | undefined
  /** One cleaning now, however dirty the log is; null where nothing can be cleaned. Absent where nobody cleans. */
  clean?(onProgress: CleanProgressListener | undefined): Promise<CleaningReport | null>
  /** When the cleaner next looks for logs; absent or undefined where that is another's to do. */
  cleanerChecks?(): CheckSchedule | undefined
}

/** Told of a cleaning while it runs: bytes read so far, of those to be read. */
export type CleanProgressListener = (doneBytes: number, totalBytes: number) => void

/** When a log's retention is checked. */
export type CheckSchedule =
  | {
      readonly kind: 'scheduled'
      /** Ms since the epoch; null while a check is running. */
      readonly nextMs: number | null
      readonly intervalMs: number
    }
  /** Nobody will: by the interval there is none, or none any more, or the cleaner, which makes the checks of a log that compacts, is off. */
  | { readonly kind: 'never'; readonly because: 'no interval' | 'cleaner off' }
