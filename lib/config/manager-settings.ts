/** Placeholder: replaced by the table of broker settings. */
export interface ManagerConfig {
  readonly retentionCheckIntervalMs: number
  readonly flushSchedulerIntervalMs: number
  readonly flushOffsetCheckpointIntervalMs: number
  readonly flushStartOffsetCheckpointIntervalMs: number
  readonly replicaHighWatermarkCheckpointIntervalMs: number
  readonly initialTaskDelayMs: number
  readonly minFreeBytes: number
  readonly maxTotalBytes: number
}

export type ManagerConfigInput = Partial<ManagerConfig>

export const DEFAULT_MANAGER_CONFIG: ManagerConfig = {
  retentionCheckIntervalMs: 300_000,
  flushSchedulerIntervalMs: Number.POSITIVE_INFINITY,
  flushOffsetCheckpointIntervalMs: 60_000,
  flushStartOffsetCheckpointIntervalMs: 60_000,
  replicaHighWatermarkCheckpointIntervalMs: 5_000,
  initialTaskDelayMs: 30_000,
  minFreeBytes: 0,
  maxTotalBytes: Number.POSITIVE_INFINITY,
}

export function resolveManagerConfig(input: ManagerConfigInput): ManagerConfig {
  return { ...DEFAULT_MANAGER_CONFIG, ...input }
}
