/**
 * What a broker's `server.properties` says of storage: defaults of topics,
 * which become settings of logs, and the broker's own, which become those of a
 * manager. Pure. Follows Kafka 4.4's ServerTopicConfigSynonyms and KafkaConfig:
 * of several names for one setting the finest unit counts, and every given
 * value is checked. Names that are neither are left to the caller.
 */

import { ConfigError } from '../errors.js'
import type { LogConfigInput } from './log-config.js'
import { type ManagerConfigInput, managerConfigFromNames } from './manager-config.js'
import { MANAGER_SETTINGS } from './manager-settings.js'
import { parseSetting, type Setting } from './setting.js'
import { LOG_SETTINGS, type SettingKey } from './settings.js'
import type { NamedValue } from './settings-table.js'

/** One of the broker's names for a time of topics, and how many ms its unit has. */
interface TimeName {
  readonly setting: Setting
  readonly unitMs: number
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Of each list the first that is given counts. */
const TIMES: { readonly [Key in SettingKey]?: readonly TimeName[] } = {
  flushMs: [inMs('log.flush.interval.ms'), inMs('log.flush.scheduler.interval.ms')],
  retentionMs: [
    inMs('log.retention.ms'),
    coarse('log.retention.minutes', MINUTE_MS),
    coarse('log.retention.hours', HOUR_MS),
  ],
  segmentJitterMs: [inMs('log.roll.jitter.ms'), coarse('log.roll.jitter.hours', HOUR_MS, 0)],
  segmentMs: [inMs('log.roll.ms'), coarse('log.roll.hours', HOUR_MS, 1)],
}

const OTHERS: { readonly [Key in SettingKey]?: string } = {
  cleanupPolicy: 'log.cleanup.policy',
  compressionType: 'compression.type',
  compressionGzipLevel: 'compression.gzip.level',
  compressionLz4Level: 'compression.lz4.level',
  compressionZstdLevel: 'compression.zstd.level',
  deleteRetentionMs: 'log.cleaner.delete.retention.ms',
  fileDeleteDelayMs: 'log.segment.delete.delay.ms',
  flushMessages: 'log.flush.interval.messages',
  indexIntervalBytes: 'log.index.interval.bytes',
  localRetentionBytes: 'log.local.retention.bytes',
  localRetentionMs: 'log.local.retention.ms',
  maxCompactionLagMs: 'log.cleaner.max.compaction.lag.ms',
  maxDecompressedMessageBytes: 'max.decompressed.message.bytes',
  maxMessageBytes: 'message.max.bytes',
  messageTimestampAfterMaxMs: 'log.message.timestamp.after.max.ms',
  messageTimestampBeforeMaxMs: 'log.message.timestamp.before.max.ms',
  messageTimestampType: 'log.message.timestamp.type',
  minCleanableDirtyRatio: 'log.cleaner.min.cleanable.ratio',
  minCompactionLagMs: 'log.cleaner.min.compaction.lag.ms',
  minInsyncReplicas: 'min.insync.replicas',
  preallocate: 'log.preallocate',
  remoteCopyLagBytes: 'log.remote.copy.lag.bytes',
  remoteCopyLagMs: 'log.remote.copy.lag.ms',
  retentionBytes: 'log.retention.bytes',
  segmentBytes: 'log.segment.bytes',
  segmentIndexBytes: 'log.index.size.max.bytes',
  uncleanLeaderElectionEnable: 'unclean.leader.election.enable',
}

/** The broker's names for a topic's setting, the one that counts first; none where a broker has no default for it. */
export function brokerNamesOf(key: SettingKey): readonly string[] {
  const other = OTHERS[key]
  return other === undefined ? (TIMES[key] ?? []).map(({ setting }) => setting.name) : [other]
}

/**
 * The settings of logs that a broker with these properties gives to topics
 * without settings of their own. Names that say nothing of topics are passed
 * over; `ERR_CONFIG_INVALID` for a value that the broker would not start with.
 */
export function configFromBrokerNames(entries: Iterable<NamedValue>): LogConfigInput {
  const given = new Map(entries)
  const input: { [Key in SettingKey]?: unknown } = {}
  for (const key of LOG_SETTINGS.keys) {
    const value = TIMES[key] === undefined ? otherOf(key, given) : timeOf(key, TIMES[key], given)
    if (value !== undefined) input[key] = value
  }
  return input as LogConfigInput
}

/** The settings of a manager among these properties; other names are passed over. */
export function managerConfigFromBrokerNames(entries: Iterable<NamedValue>): ManagerConfigInput {
  return managerConfigFromNames([...entries].filter(([name]) => MANAGER_SETTINGS.keyOf(name) !== undefined))
}

/** The names that neither of the two reads: nothing of storage, or misspelt. */
export function otherBrokerNames(entries: Iterable<NamedValue>): string[] {
  const ofTopics = new Set(LOG_SETTINGS.keys.flatMap(brokerNamesOf))
  return [...entries]
    .map(([name]) => name)
    .filter((name) => !ofTopics.has(name) && MANAGER_SETTINGS.keyOf(name) === undefined)
}

function otherOf(key: SettingKey, given: ReadonlyMap<string, string>): unknown {
  const name = OTHERS[key]
  const text = name === undefined ? undefined : given.get(name)
  if (name === undefined || text === undefined) return undefined
  return parseSetting({ ...LOG_SETTINGS.setting(key), name }, text)
}

function timeOf(
  key: SettingKey,
  names: readonly TimeName[],
  given: ReadonlyMap<string, string>,
): number | undefined {
  const [first] = names
    .filter(({ setting }) => given.has(setting.name))
    .map(({ setting, unitMs }) => ({
      name: setting.name,
      ms: (parseSetting(setting, given.get(setting.name)) as number) * unitMs,
    }))
  if (first === undefined) return undefined
  return key === 'retentionMs' ? retentionOf(first) : first.ms
}

/** A broker takes any negative time for none, and no time at all, unlike a topic, for a mistake. */
function retentionOf({ name, ms }: { readonly name: string; readonly ms: number }): number {
  if (ms !== 0) return Math.max(ms, -1)
  throw new ConfigError('ERR_CONFIG_INVALID', `${name} must be negative for no limit, or at least 1, got 0`)
}

function inMs(name: string): TimeName {
  return { setting: { name, type: 'long', fallback: 0 }, unitMs: 1 }
}

function coarse(name: string, unitMs: number, min?: number): TimeName {
  const bounds = min === undefined ? {} : { min }
  return { setting: { name, type: 'int', fallback: 0, ...bounds }, unitMs }
}
