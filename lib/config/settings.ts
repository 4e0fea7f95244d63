/**
 * The table of a log's settings, every one of a topic: Kafka's name, type,
 * default and bounds, as Kafka 4.4's LogConfig has them. Everything else about
 * settings (parsing, validation, the properties file, `--config`) is derived
 * from this table; docs/settings.md says what each does.
 */

import { SettingsTable } from './settings-table.js'

export type CleanupPolicy = 'delete' | 'compact'
export type CompressionSetting = 'producer' | 'uncompressed' | 'gzip' | 'snappy' | 'lz4' | 'zstd'
export type TimestampTypeSetting = 'CreateTime' | 'LogAppendTime'

/** A log's settings. Names are Kafka's in camelCase; sizes in bytes, times in ms. */
export interface LogConfig {
  readonly cleanupPolicy: readonly CleanupPolicy[]
  readonly compressionType: CompressionSetting
  readonly compressionGzipLevel: number
  readonly compressionLz4Level: number
  readonly compressionZstdLevel: number
  readonly deleteRetentionMs: number
  readonly errorsDeadletterqueueGroupEnable: boolean
  readonly fileDeleteDelayMs: number
  readonly flushMessages: number
  readonly flushMs: number
  readonly followerReplicationThrottledReplicas: readonly string[]
  readonly indexIntervalBytes: number
  readonly leaderReplicationThrottledReplicas: readonly string[]
  readonly localRetentionBytes: number
  readonly localRetentionMs: number
  readonly maxCompactionLagMs: number
  readonly maxDecompressedMessageBytes: number
  readonly maxMessageBytes: number
  readonly messageTimestampAfterMaxMs: number
  readonly messageTimestampBeforeMaxMs: number
  readonly messageTimestampType: TimestampTypeSetting
  readonly minCleanableDirtyRatio: number
  readonly minCompactionLagMs: number
  readonly minInsyncReplicas: number
  readonly preallocate: boolean
  readonly remoteCopyLagBytes: number
  readonly remoteCopyLagMs: number
  readonly remoteLogCopyDisable: boolean
  readonly remoteLogDeleteOnDisable: boolean
  readonly remoteStorageEnable: boolean
  readonly retentionBytes: number
  readonly retentionMs: number
  readonly segmentBytes: number
  readonly segmentIndexBytes: number
  readonly segmentJitterMs: number
  readonly segmentMs: number
  readonly uncleanLeaderElectionEnable: boolean
  /** For tests: a segment size below Kafka's least, 1 MiB. -1: `segmentBytes` counts. */
  readonly internalSegmentBytes: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

/** No replicas, no remote storage, no consumer groups here. */
const NOWHERE = { applies: 'nowhere' } as const
const NEXT_SEGMENT = { applies: 'next segment' } as const
const THROTTLED_REPLICAS = {
  type: 'list',
  fallback: [],
  pattern: { item: /^[0-9]+:[0-9]+$/, text: 'partition:broker, or *' },
  ...NOWHERE,
} as const

/** Keys in the order in which they are written into files. */
export const LOG_SETTINGS = new SettingsTable<LogConfig>({
  cleanupPolicy: {
    name: 'cleanup.policy',
    type: 'list',
    fallback: ['delete'],
    values: ['compact', 'delete'],
  },
  compressionType: {
    name: 'compression.type',
    type: 'enum',
    fallback: 'producer',
    values: ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'],
  },
  // 0, no compression, is none of Kafka's levels.
  compressionGzipLevel: {
    name: 'compression.gzip.level',
    type: 'int',
    fallback: -1,
    min: -1,
    max: 9,
    except: [0],
  },
  compressionLz4Level: { name: 'compression.lz4.level', type: 'int', fallback: 9, min: 1, max: 17 },
  compressionZstdLevel: { name: 'compression.zstd.level', type: 'int', fallback: 3, min: -131_072, max: 22 },
  deleteRetentionMs: { name: 'delete.retention.ms', type: 'long', fallback: DAY_MS, min: 0 },
  errorsDeadletterqueueGroupEnable: {
    name: 'errors.deadletterqueue.group.enable',
    type: 'boolean',
    fallback: false,
    ...NOWHERE,
  },
  fileDeleteDelayMs: { name: 'file.delete.delay.ms', type: 'long', fallback: MINUTE_MS, min: 0 },
  flushMessages: { name: 'flush.messages', type: 'long', fallback: Number.POSITIVE_INFINITY, min: 1 },
  flushMs: { name: 'flush.ms', type: 'long', fallback: Number.POSITIVE_INFINITY, min: 0 },
  followerReplicationThrottledReplicas: {
    name: 'follower.replication.throttled.replicas',
    ...THROTTLED_REPLICAS,
  },
  indexIntervalBytes: {
    name: 'index.interval.bytes',
    type: 'int',
    fallback: 4096,
    min: 0,
    ...NEXT_SEGMENT,
  },
  leaderReplicationThrottledReplicas: {
    name: 'leader.replication.throttled.replicas',
    ...THROTTLED_REPLICAS,
  },
  localRetentionBytes: { name: 'local.retention.bytes', type: 'long', fallback: -2, min: -2, ...NOWHERE },
  localRetentionMs: { name: 'local.retention.ms', type: 'long', fallback: -2, min: -2, ...NOWHERE },
  maxCompactionLagMs: {
    name: 'max.compaction.lag.ms',
    type: 'long',
    fallback: Number.POSITIVE_INFINITY,
    min: 1,
  },
  // 2^31 - 1 less 8: the longest array that Kafka trusts a JVM to make.
  maxDecompressedMessageBytes: {
    name: 'max.decompressed.message.bytes',
    type: 'int',
    fallback: 2_147_483_639,
    min: 1,
    max: 2_147_483_639,
  },
  maxMessageBytes: { name: 'max.message.bytes', type: 'int', fallback: 1_048_588, min: 0 },
  messageTimestampAfterMaxMs: {
    name: 'message.timestamp.after.max.ms',
    type: 'long',
    fallback: HOUR_MS,
    min: 0,
  },
  messageTimestampBeforeMaxMs: {
    name: 'message.timestamp.before.max.ms',
    type: 'long',
    fallback: Number.POSITIVE_INFINITY,
    min: 0,
  },
  messageTimestampType: {
    name: 'message.timestamp.type',
    type: 'enum',
    fallback: 'CreateTime',
    values: ['CreateTime', 'LogAppendTime'],
  },
  minCleanableDirtyRatio: {
    name: 'min.cleanable.dirty.ratio',
    type: 'double',
    fallback: 0.5,
    min: 0,
    max: 1,
  },
  minCompactionLagMs: { name: 'min.compaction.lag.ms', type: 'long', fallback: 0, min: 0 },
  minInsyncReplicas: { name: 'min.insync.replicas', type: 'int', fallback: 1, min: 1, ...NOWHERE },
  preallocate: { name: 'preallocate', type: 'boolean', fallback: false, ...NEXT_SEGMENT },
  remoteCopyLagBytes: { name: 'remote.copy.lag.bytes', type: 'long', fallback: -1, min: -1, ...NOWHERE },
  remoteCopyLagMs: { name: 'remote.copy.lag.ms', type: 'long', fallback: 0, min: -1, ...NOWHERE },
  remoteLogCopyDisable: { name: 'remote.log.copy.disable', type: 'boolean', fallback: false, ...NOWHERE },
  remoteLogDeleteOnDisable: {
    name: 'remote.log.delete.on.disable',
    type: 'boolean',
    fallback: false,
    ...NOWHERE,
  },
  remoteStorageEnable: { name: 'remote.storage.enable', type: 'boolean', fallback: false, ...NOWHERE },
  retentionBytes: { name: 'retention.bytes', type: 'long', fallback: -1 },
  retentionMs: { name: 'retention.ms', type: 'long', fallback: WEEK_MS, min: -1 },
  segmentBytes: { name: 'segment.bytes', type: 'int', fallback: 1_073_741_824, min: 1_048_576 },
  // Kafka's least is 4. Below 12 a time index has no room for an entry, and nothing could be appended.
  segmentIndexBytes: {
    name: 'segment.index.bytes',
    type: 'int',
    fallback: 10_485_760,
    min: 12,
    ...NEXT_SEGMENT,
  },
  segmentJitterMs: { name: 'segment.jitter.ms', type: 'long', fallback: 0, min: 0, ...NEXT_SEGMENT },
  segmentMs: { name: 'segment.ms', type: 'long', fallback: WEEK_MS, min: 1 },
  uncleanLeaderElectionEnable: {
    name: 'unclean.leader.election.enable',
    type: 'boolean',
    fallback: false,
    ...NOWHERE,
  },
  internalSegmentBytes: { name: 'internal.segment.bytes', type: 'int', fallback: -1, min: -1 },
})

export type SettingKey = keyof LogConfig
