/**
 * What a log asks of the directory that holds it, and of whoever keeps house
 * there.
 */

import type { LogConfig } from '../config/settings.js'
import type { LogOffsets } from './log-state.js'

export interface LogHost {
  /** Writes the log's offsets into the directory's checkpoints; durable on return. */
  checkpoint(offsets: LogOffsets, firstBaseOffset: bigint): Promise<void>
  /** The log is about to be closed: work on it from outside ends. */
  closing?(): Promise<void>
  /** The log is closed: all on disk (`clean`), or not. */
  closed(clean: boolean): Promise<void>
  /** When retention is next checked for a log with these settings; absent or undefined where that is another's to do. */
  retentionChecks?(config: LogConfig): CheckSchedule | undefined
}

/** When a log's retention is checked. */
export type CheckSchedule =
  | {
      readonly kind: 'scheduled'
      /** Ms since the epoch; null while a check is running. */
      readonly nextMs: number | null
      readonly intervalMs: number
    }
  /** Nobody will: by the interval there is none, or none any more, or the log compacts and its deletions are the cleaner's. */
  | { readonly kind: 'never'; readonly because: 'no interval' | 'compacts' }
