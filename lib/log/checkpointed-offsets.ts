/**
 * What the log directory's checkpoints say of one log.
 */

/** Undefined where they say nothing. */
export interface CheckpointedOffsets {
  readonly logStartOffset: bigint | undefined
  /** Undefined too where its checkpoint cannot be read: then nobody knows what was flushed. */
  readonly recoveryPoint: bigint | undefined
  readonly highWatermark: bigint | undefined
  /** The cleaner's: everything below was cleaned. Undefined too where its checkpoint cannot be read: then nothing was. */
  readonly firstDirtyOffset: bigint | undefined
}
