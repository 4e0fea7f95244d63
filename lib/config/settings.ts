/**
 * The table of a log's settings: Kafka's name, type, default and bounds, as
 * Kafka 4.4's LogConfig has them. Everything else about settings (parsing,
 * validation, the properties file, `--config`) is derived from this table.
 *
 * Kafka's 64-bit settings are numbers here; `Infinity` stands for
 * 9223372036854775807 and for anything else above 2^53 - 1.
 */

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
  readonly fileDeleteDelayMs: number
  readonly flushMessages: number
  readonly flushMs: number
  readonly indexIntervalBytes: number
  readonly maxCompactionLagMs: number
  readonly maxMessageBytes: number
  readonly messageTimestampAfterMaxMs: number
  readonly messageTimestampBeforeMaxMs: number
  readonly messageTimestampType: TimestampTypeSetting
  readonly minCleanableDirtyRatio: number
  readonly minCompactionLagMs: number
  readonly preallocate: boolean
  readonly retentionBytes: number
  readonly retentionMs: number
  readonly segmentBytes: number
  readonly segmentIndexBytes: number
  readonly segmentJitterMs: number
  readonly segmentMs: number
  /** For tests: a segment size below Kafka's least, 1 MiB. -1: `segmentBytes` counts. */
  readonly internalSegmentBytes: number
}

interface Named {
  /** Kafka's dotted name. */
  readonly name: string
}

export type Setting =
  | (Named & {
      type: 'int' | 'long'
      fallback: number
      min?: number
      max?: number
      /** Values within the bounds that are refused all the same. */
      except?: readonly number[]
    })
  | (Named & { type: 'double'; fallback: number; min: number; max: number })
  | (Named & { type: 'boolean'; fallback: boolean })
  | (Named & { type: 'enum'; fallback: string; values: readonly string[] })
  | (Named & { type: 'list'; fallback: readonly string[]; values: readonly string[] })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

/** Keys in the order in which they are written into files. */
export const SETTINGS: { readonly [Key in keyof LogConfig]: Setting } = {
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
  fileDeleteDelayMs: { name: 'file.delete.delay.ms', type: 'long', fallback: MINUTE_MS, min: 0 },
  flushMessages: { name: 'flush.messages', type: 'long', fallback: Number.POSITIVE_INFINITY, min: 1 },
  flushMs: { name: 'flush.ms', type: 'long', fallback: Number.POSITIVE_INFINITY, min: 0 },
  indexIntervalBytes: { name: 'index.interval.bytes', type: 'int', fallback: 4096, min: 0 },
  maxCompactionLagMs: {
    name: 'max.compaction.lag.ms',
    type: 'long',
    fallback: Number.POSITIVE_INFINITY,
    min: 1,
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
  preallocate: { name: 'preallocate', type: 'boolean', fallback: false },
  retentionBytes: { name: 'retention.bytes', type: 'long', fallback: -1 },
  retentionMs: { name: 'retention.ms', type: 'long', fallback: WEEK_MS, min: -1 },
  segmentBytes: { name: 'segment.bytes', type: 'int', fallback: 1_073_741_824, min: 1_048_576 },
  segmentIndexBytes: { name: 'segment.index.bytes', type: 'int', fallback: 10_485_760, min: 4 },
  segmentJitterMs: { name: 'segment.jitter.ms', type: 'long', fallback: 0, min: 0 },
  segmentMs: { name: 'segment.ms', type: 'long', fallback: WEEK_MS, min: 1 },
  internalSegmentBytes: { name: 'internal.segment.bytes', type: 'int', fallback: -1, min: -1 },
}

export type SettingKey = keyof LogConfig

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[]

const KEY_BY_NAME = new Map(SETTING_KEYS.map((key) => [SETTINGS[key].name, key]))

/** The camelCase key of Kafka's dotted name. */
export function settingKey(kafkaName: string): SettingKey | undefined {
  return KEY_BY_NAME.get(kafkaName)
}
