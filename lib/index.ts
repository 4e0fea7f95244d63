/**
 * The public names of `partition-log`, and nothing else.
 */

import { loadCodec as loadCodecLibrary } from './backend/codecs/load.js'
import { loadBackend } from './backend/load.js'
import type { CodecName } from './format/compression.js'
import { type EncodeBatchOptions, encodeBatch as encode } from './format/encode-batch.js'
import type { RecordInput } from './format/record.js'

export type { BackendName } from './backend/contract.js'
export type { Int64Input } from './base/int64.js'
export type { Logger } from './base/logger.js'
export { version } from './base/version.js'
export {
  configFromBrokerNames,
  managerConfigFromBrokerNames,
  otherBrokerNames,
} from './config/broker-names.js'
export type { LogConfigInput } from './config/log-config.js'
export type { ManagerConfigInput } from './config/manager-config.js'
export type { ManagerConfig } from './config/manager-settings.js'
export type { CleanupPolicy, CompressionSetting, LogConfig, TimestampTypeSetting } from './config/settings.js'
export type { NamedValue } from './config/settings-table.js'
export {
  ClosedError,
  ConfigError,
  CorruptionError,
  type CorruptionKind,
  type ErrorCode,
  type ErrorFields,
  InvalidBatchError,
  IoError,
  LockedError,
  OffsetOutOfRangeError,
  PartitionLogError,
  UnsupportedError,
} from './errors.js'
export type { Batch, BatchSource } from './format/batch.js'
export { type RecordBatchesOptions, recordBatches } from './format/batches.js'
export type { CodecName } from './format/compression.js'
export type { EncodeBatchOptions } from './format/encode-batch.js'
export type { ProducerInput } from './format/producer-input.js'
export {
  type HeaderInput,
  type LogRecord,
  plainRecord,
  type RecordCursor,
  type RecordFields,
  type RecordHeader,
  type RecordInput,
  type RecordJson,
  type TimestampType,
} from './format/record.js'
export type { AppendOptions } from './log/append.js'
export type { AppendBatchesOptions } from './log/append-batches.js'
export type { AppendBatchesResult, AppendResult } from './log/append-result.js'
export type { Appender, AppenderOptions } from './log/appender.js'
export type { CleanOptions } from './log/cleaning/clean-options.js'
export type { CleaningLimit } from './log/cleaning/cleanable.js'
export type { CleaningExplanation, CompactionExplanation } from './log/cleaning/explain-cleaning.js'
export type { CleaningReport } from './log/cleaning/log-cleaning.js'
export type { EndTransactionOptions } from './log/end-transaction.js'
export type { ExplainOptions } from './log/explain.js'
export type { Hold } from './log/explain-retention.js'
export type { RollExplanation } from './log/explain-roll.js'
export type {
  LogExplanation,
  NextCheck,
  SegmentExplanation,
  WaitingSegments,
} from './log/explained-log.js'
export type { FetchOptions, FetchResult, Isolation } from './log/fetch.js'
export type { EpochEnd } from './log/leader-epochs.js'
export type { Located } from './log/locate.js'
export type { LogCondition } from './log/log-core.js'
export type { CheckSchedule, CleanProgressListener } from './log/log-host.js'
export type { LogRead } from './log/log-read.js'
export type { LogOffsets } from './log/log-state.js'
export type { PartitionLog } from './log/partition-log.js'
export type { ReadOnlyPartitionLog } from './log/read-only-log.js'
export type { ReadOptions } from './log/read-options.js'
export type { DamagePolicy } from './log/recovery/recovery-options.js'
export type { ScanCause } from './log/recovery/recovery-plan.js'
export type {
  CutReport,
  RecoveryReport,
  RemovedSegmentReport,
  ScannedReport,
  SplitReport,
} from './log/recovery/report.js'
export type { RetentionResult } from './log/retention.js'
export type { SegmentSummary } from './log/segment-summary.js'
export type { ActivityStats, CleaningStats, LatencyStats, LogStats, SetAsideStats } from './log/stats.js'
export type { OffsetAndTimestamp } from './log/timestamps.js'
export type { LogProducer, ProducerAppendOptions, ProducerOptions } from './log/transaction-producer.js'
export type { OpenTransaction } from './log/transactions-open.js'
export { type DryRecovery, type DryRunOptions, dryRecovery } from './manager/dry-recovery.js'
export type { ExplainedProblem, ManagerExplanation } from './manager/explain.js'
export type { Finding } from './manager/finding.js'
export type { LogProblem } from './manager/load-logs.js'
export type { LogManager } from './manager/log-manager.js'
export type { LogManagerOptions, OfflinePlace } from './manager/manager-options.js'
export type { DirectoryStats, ManagerStats } from './manager/manager-stats.js'
export { openLog } from './manager/open-log.js'
export { openLogManager } from './manager/open-log-manager.js'
export type { OpenLogOptions, Progress } from './manager/open-options.js'
export type { RoomStats } from './manager/room-limits.js'
export { type VerifyOptions, type VerifyReport, verifyLog } from './manager/verify-log.js'
export type { VerifiedSegment } from './manager/verify-segment.js'

/** The backend that a log gets which names none: `native` or `portable`, and why it is that one. */
export const backend = {
  get name() {
    return loadBackend().backend.name
  },
  get reason() {
    return loadBackend().reason
  },
}

/**
 * One magic 2 batch of `records`, checksum included, as it is on the wire and
 * in a segment. Records without a timestamp get the time of the call. The
 * result is the caller's. Compression runs on the caller's turn.
 *
 * Throws TypeError and RangeError for arguments of the wrong shape,
 * `ERR_INVALID_BATCH` for no records, `ERR_BATCH_TOO_LARGE` above 2 GiB,
 * `ERR_CODEC_NOT_LOADED`.
 */
export function encodeBatch(records: readonly RecordInput[], options: EncodeBatchOptions = {}): Buffer {
  loadBackend() // lends its checksum
  return encode(records, options)
}

/**
 * Loads the library of a codec, so that synchronous calls can use it; repeated
 * calls are free. `ERR_UNSUPPORTED` where none is installed, with what to install.
 */
export async function loadCodec(name: CodecName): Promise<void> {
  await loadCodecLibrary(name)
}
