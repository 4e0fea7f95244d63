/**
 * What a log asks of the directory that holds it.
 */

import type { LogOffsets } from './log-state.js'

export interface LogHost {
  /** Writes the log's offsets into the directory's checkpoints; durable on return. */
  checkpoint(offsets: LogOffsets, firstBaseOffset: bigint): Promise<void>
  /** The log is about to be closed: work on it from outside ends. */
  closing?(): Promise<void>
  /** The log is closed: all on disk (`clean`), or not. */
  closed(clean: boolean): Promise<void>
}
