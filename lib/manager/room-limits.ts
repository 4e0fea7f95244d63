/**
 * What a directory's room is worked out from: what the logs take, and how much
 * they may.
 */

import type { Files } from '../backend/contract.js'
import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/logger.js'
import type { ManagerConfig } from '../config/manager-settings.js'

/** What the logs of a directory take; one for all that share it in this process. */
export class DirectoryUsage {
  /** Bytes of records that are there. */
  sizeInBytes = 0
  /** Bytes that were ever written or reserved here: never less than it was. */
  writtenBytes = 0
}

export type RoomLimits = Pick<ManagerConfig, 'minFreeBytes' | 'maxTotalBytes'>

export interface RoomOptions {
  /** The log directory. */
  readonly path: string
  readonly usage: DirectoryUsage
  readonly limits: RoomLimits
  readonly files: Pick<Files, 'freeBytes'>
  readonly clock: Clock
  readonly logger: Logger
}

/** A directory's room as `manager.stats()` shows it; null for what is not limited or not measured. */
export interface RoomStats {
  /** What `maxTotalBytes` is compared with. */
  readonly totalBytes: number
  readonly maxTotalBytes: number | null
  /** As last measured, less what was written since. */
  readonly freeBytes: number | null
  readonly minFreeBytes: number | null
}
