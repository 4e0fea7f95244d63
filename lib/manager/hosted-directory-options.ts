/**
 * What a manager gives each of its log directories.
 */

import type { LogConfigInput } from '../config/log-config.js'
import type { PartitionLogError } from '../errors.js'
import type { CleaningReport } from '../log/cleaning/log-cleaning.js'
import type { CleanProgressListener, LogHost } from '../log/log-host.js'
import type { LogSurroundings } from './build-log.js'
import type { RecoveryWish } from './directory-recovery.js'
import type { RoomLimits } from './room-limits.js'

export interface HostedDirectoryOptions {
  readonly around: LogSurroundings
  /** Settings of every log that does not have others. */
  readonly defaults: LogConfigInput
  /** When a log with these settings is next checked for deletions; undefined while logs are still being opened. */
  readonly retentionChecks: NonNullable<LogHost['retentionChecks']>
  readonly cleanerChecks: NonNullable<LogHost['cleanerChecks']>
  /** One cleaning of the log by that name. */
  readonly clean: (
    name: string,
    onProgress: CleanProgressListener | undefined,
  ) => Promise<CleaningReport | null>
  readonly limits: RoomLimits
  /** What the manager's opener said of recoveries. */
  readonly recovery: RecoveryWish
  /** Threads that scan while logs are being opened. */
  readonly recoveryThreads: number
  /** Called once, when the directory itself has failed. */
  readonly onOffline: (error: PartitionLogError, directory: { readonly path: string }) => void
}
