/**
 * What a log is given from outside.
 */

import type { Backend, Files, Lane } from '../backend/contract.js'
import type { Clock } from '../base/clock.js'
import type { Entropy } from '../base/entropy.js'
import type { Logger } from '../base/logger.js'
import type { ManagerConfig } from '../config/manager-settings.js'
import type { PartitionLogError } from '../errors.js'
import type { BatchLimits } from '../format/batch.js'
import type { Codec, CodecName } from '../format/compression.js'
import type { OpenSegments } from '../segment/open-segments.js'
import type { AppendRoom } from './log-space.js'

/** What a log is given from outside; it reaches the machine through nothing else. */
export interface LogEnvironment {
  /** `topic-partition`, for texts and events. */
  readonly name: string
  readonly directory: string
  readonly backend: Backend
  readonly files: Files
  /** fsync. One for all logs of a directory. */
  readonly flushLane: Lane
  /** Cold reads and scans. */
  readonly readLane: Lane
  readonly clock: Clock
  readonly entropy: Entropy
  readonly logger: Logger
  readonly limits: BatchLimits
  readonly loadCodec: (name: CodecName) => Promise<Codec>
  readonly openSegments: OpenSegments
  readonly room: AppendRoom
  /** `manual`: the host moves the high watermark. */
  readonly highWatermark: 'auto' | 'manual'
  readonly readOnly: boolean
  /** How long producers are remembered, and how long a transaction may be open before it counts as late. */
  readonly producerLimits: Pick<ManagerConfig, 'producerIdExpirationMs' | 'transactionMaxTimeoutMs'>
  /** Called once, when the log goes offline. */
  readonly onOffline: (error: PartitionLogError) => void
}
