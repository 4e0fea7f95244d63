/** Settings of a manager: names, defaults, bounds, and what cannot be together. */
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_MANAGER_CONFIG,
  type ManagerConfigInput,
  managerConfigFromNames,
  resolveManagerConfig,
} from '../../lib/config/manager-config.js'
import { MANAGER_SETTINGS } from '../../lib/config/manager-settings.js'

const invalid = expect.objectContaining({ code: 'ERR_CONFIG_INVALID' })

/** Kafka 4.4's defaults of a broker, and ours for the last two. */
const DEFAULTS = {
  cleanerBackoffMs: 15_000,
  cleanerDedupeBufferSize: 134_217_728,
  cleanerEnable: true,
  cleanerHash: 'md5',
  cleanerIoBufferLoadFactor: 0.9,
  cleanerIoBufferSize: 524_288,
  cleanerIoMaxBytesPerSecond: Number.MAX_VALUE,
  cleanerThreads: 1,
  flushOffsetCheckpointIntervalMs: 60_000,
  flushSchedulerIntervalMs: Number.POSITIVE_INFINITY,
  flushStartOffsetCheckpointIntervalMs: 60_000,
  initialTaskDelayMs: 30_000,
  numRecoveryThreadsPerDataDir: 2,
  producerIdExpirationCheckIntervalMs: 600_000,
  producerIdExpirationMs: 86_400_000,
  replicaHighWatermarkCheckpointIntervalMs: 5_000,
  retentionCheckIntervalMs: 300_000,
  transactionMaxTimeoutMs: 900_000,
  minFreeBytes: 0,
  maxTotalBytes: Number.POSITIVE_INFINITY,
}

it('has these settings with these defaults, and no other', () => {
  expect(DEFAULT_MANAGER_CONFIG).toEqual(DEFAULTS)
  expect(resolveManagerConfig({})).toEqual(DEFAULTS)
})

it("has Kafka's names without log. and in camelCase as keys", () => {
  for (const key of MANAGER_SETTINGS.keys) {
    const name = MANAGER_SETTINGS.setting(key).name.replace(/^log\./, '')
    expect(key).toBe(name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()))
  }
})

it('takes numbers, bigints and text, over a base', () => {
  const base = resolveManagerConfig({ cleanerThreads: 2 })
  const config = resolveManagerConfig({ retentionCheckIntervalMs: '5', minFreeBytes: 7n }, base)
  expect(config).toEqual({ ...DEFAULTS, cleanerThreads: 2, retentionCheckIntervalMs: 5, minFreeBytes: 7 })
  expect(Object.isFrozen(config)).toBe(true)
})

it('refuses what is out of bounds, and what is no setting, with its name', () => {
  const refused: [ManagerConfigInput, string][] = [
    [{ retentionCheckIntervalMs: 0 }, 'log.retention.check.interval.ms must be from 1 to'],
    [{ cleanerThreads: 0 }, 'log.cleaner.threads must be from 1 to'],
    [
      { cleanerIoMaxBytesPerSecond: 0 },
      'log.cleaner.io.max.bytes.per.second must be a number from 1 to Infinity',
    ],
    [{ minFreeBytes: -1 }, 'min.free.bytes must be from 0 to'],
    [{ cleanerThread: 1 } as ManagerConfigInput, 'unknown setting cleanerThread'],
  ]
  for (const [input, text] of refused) {
    expect(() => resolveManagerConfig(input)).toThrow(invalid)
    expect(() => resolveManagerConfig(input)).toThrow(text)
  }
  expect(() => managerConfigFromNames([['background.threads', '10']])).toThrow(invalid)
})

describe("the cleaner's map of keys", () => {
  it('must have more than 1 MiB for each thread', () => {
    const each = 1_048_576
    expect(resolveManagerConfig({ cleanerDedupeBufferSize: each + 1 }).cleanerThreads).toBe(1)
    for (const input of [
      { cleanerDedupeBufferSize: each },
      { cleanerDedupeBufferSize: 2 * each + 1, cleanerThreads: 2 },
      { cleanerThreads: 128 },
      { cleanerDedupeBufferSize: -1 },
    ]) {
      expect(() => resolveManagerConfig(input)).toThrow(invalid)
      expect(() => resolveManagerConfig(input)).toThrow(/log\.cleaner\.dedupe\.buffer\.size/)
    }
  })

  it('must have room for a key', () => {
    expect(() => resolveManagerConfig({ cleanerIoBufferLoadFactor: 0 })).toThrow(invalid)
    expect(() => resolveManagerConfig({ cleanerIoBufferLoadFactor: 1e-9 })).toThrow(/load\.factor/)
    expect(resolveManagerConfig({ cleanerIoBufferLoadFactor: '1' }).cleanerIoBufferLoadFactor).toBe(1)
  })
})
