/**
 * The table of a log manager's settings: those of Kafka 4.4's broker that
 * concern the storage of logs, with the broker's defaults and bounds, and two
 * of our own. Keys are Kafka's names without a leading `log.`.
 *
 * What a broker's file says of topics (`log.segment.bytes`, `log.retention.hours`
 * …) is not here: `broker-names` turns it into settings of logs.
 */

import { SettingsTable } from './settings-table.js'

/** Settings of a log manager. Sizes in bytes, times in ms; a period of 0 or less means once, and never again. */
export interface ManagerConfig {
  readonly cleanerBackoffMs: number
  readonly cleanerDedupeBufferSize: number
  readonly cleanerEnable: boolean
  /** Not Kafka's: how keys are told apart in the cleaner's map. */
  readonly cleanerHash: 'md5' | 'xxh3'
  readonly cleanerIoBufferLoadFactor: number
  readonly cleanerIoBufferSize: number
  readonly cleanerIoMaxBytesPerSecond: number
  readonly cleanerThreads: number
  readonly flushOffsetCheckpointIntervalMs: number
  readonly flushSchedulerIntervalMs: number
  readonly flushStartOffsetCheckpointIntervalMs: number
  readonly initialTaskDelayMs: number
  readonly numRecoveryThreadsPerDataDir: number
  readonly producerIdExpirationCheckIntervalMs: number
  readonly producerIdExpirationMs: number
  readonly replicaHighWatermarkCheckpointIntervalMs: number
  readonly retentionCheckIntervalMs: number
  readonly transactionMaxTimeoutMs: number
  /** Not Kafka's: bytes to leave free on the volume. */
  readonly minFreeBytes: number
  /** Not Kafka's: most bytes that all logs together may take. */
  readonly maxTotalBytes: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const MIB = 1_048_576

export const MANAGER_SETTINGS = new SettingsTable<ManagerConfig>({
  cleanerBackoffMs: { name: 'log.cleaner.backoff.ms', type: 'long', fallback: 15_000, min: 0 },
  cleanerDedupeBufferSize: { name: 'log.cleaner.dedupe.buffer.size', type: 'long', fallback: 128 * MIB },
  cleanerEnable: { name: 'log.cleaner.enable', type: 'boolean', fallback: true },
  cleanerHash: { name: 'cleaner.hash', type: 'enum', fallback: 'md5', values: ['md5', 'xxh3'] },
  // Kafka has no bounds, and a cleaner that fails with what lies beyond these.
  cleanerIoBufferLoadFactor: {
    name: 'log.cleaner.io.buffer.load.factor',
    type: 'double',
    fallback: 0.9,
    min: 0,
    max: 1,
  },
  cleanerIoBufferSize: { name: 'log.cleaner.io.buffer.size', type: 'int', fallback: MIB / 2, min: 0 },
  // Kafka has no bounds: 0 would stop the cleaner for good, and less would not slow it.
  cleanerIoMaxBytesPerSecond: {
    name: 'log.cleaner.io.max.bytes.per.second',
    type: 'double',
    fallback: Number.MAX_VALUE,
    min: 1,
  },
  // Kafka's least is 0, which its own check of the dedupe buffer then divides by.
  cleanerThreads: { name: 'log.cleaner.threads', type: 'int', fallback: 1, min: 1 },
  flushOffsetCheckpointIntervalMs: {
    name: 'log.flush.offset.checkpoint.interval.ms',
    type: 'int',
    fallback: MINUTE_MS,
    min: 0,
  },
  flushSchedulerIntervalMs: {
    name: 'log.flush.scheduler.interval.ms',
    type: 'long',
    fallback: Number.POSITIVE_INFINITY,
  },
  flushStartOffsetCheckpointIntervalMs: {
    name: 'log.flush.start.offset.checkpoint.interval.ms',
    type: 'int',
    fallback: MINUTE_MS,
    min: 0,
  },
  initialTaskDelayMs: { name: 'log.initial.task.delay.ms', type: 'long', fallback: 30_000, min: 0 },
  numRecoveryThreadsPerDataDir: {
    name: 'num.recovery.threads.per.data.dir',
    type: 'int',
    fallback: 2,
    min: 1,
  },
  producerIdExpirationCheckIntervalMs: {
    name: 'producer.id.expiration.check.interval.ms',
    type: 'int',
    fallback: 10 * MINUTE_MS,
    min: 1,
  },
  producerIdExpirationMs: { name: 'producer.id.expiration.ms', type: 'int', fallback: DAY_MS, min: 1 },
  replicaHighWatermarkCheckpointIntervalMs: {
    name: 'replica.high.watermark.checkpoint.interval.ms',
    type: 'long',
    fallback: 5_000,
  },
  retentionCheckIntervalMs: {
    name: 'log.retention.check.interval.ms',
    type: 'long',
    fallback: 5 * MINUTE_MS,
    min: 1,
  },
  transactionMaxTimeoutMs: {
    name: 'transaction.max.timeout.ms',
    type: 'int',
    fallback: 15 * MINUTE_MS,
    min: 1,
  },
  minFreeBytes: { name: 'min.free.bytes', type: 'long', fallback: 0, min: 0 },
  maxTotalBytes: { name: 'max.total.bytes', type: 'long', fallback: Number.POSITIVE_INFINITY, min: 0 },
})
