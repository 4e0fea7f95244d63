/** Settings: bounds, names, and the way to Kafka's text and back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  configFromNames,
  DEFAULT_LOG_CONFIG,
  differingSettings,
  ignoredSettings,
  type LogConfigInput,
  mayDelete,
  namesFromConfig,
  resolveLogConfig,
  segmentBytesOf,
} from '../../lib/config/log-config.js'
import { LOG_SETTINGS, type SettingKey } from '../../lib/config/settings.js'
import { TIME_ENTRY_BYTES } from '../../lib/segment/index-plan.js'
import { fcOptions } from '../support/random.js'

const INT32 = 2 ** 31 - 1
const LONG_MAX = '9223372036854775807'

/** Kafka 4.4's LogConfig, by its dotted names: default, least and largest value (segment.index.bytes: 4 there). */
const KAFKA: Record<string, [fallback: string, min: string, max: string]> = {
  'compression.gzip.level': ['-1', '-1', '9'],
  'compression.lz4.level': ['9', '1', '17'],
  'compression.zstd.level': ['3', '-131072', '22'],
  'delete.retention.ms': ['86400000', '0', LONG_MAX],
  'file.delete.delay.ms': ['60000', '0', LONG_MAX],
  'flush.messages': [LONG_MAX, '1', LONG_MAX],
  'flush.ms': [LONG_MAX, '0', LONG_MAX],
  'index.interval.bytes': ['4096', '0', `${INT32}`],
  'internal.segment.bytes': ['-1', '-1', `${INT32}`],
  'max.compaction.lag.ms': [LONG_MAX, '1', LONG_MAX],
  'local.retention.bytes': ['-2', '-2', LONG_MAX],
  'local.retention.ms': ['-2', '-2', LONG_MAX],
  'max.decompressed.message.bytes': ['2147483639', '1', '2147483639'],
  'max.message.bytes': ['1048588', '0', `${INT32}`],
  'message.timestamp.after.max.ms': ['3600000', '0', LONG_MAX],
  'message.timestamp.before.max.ms': [LONG_MAX, '0', LONG_MAX],
  'min.compaction.lag.ms': ['0', '0', LONG_MAX],
  'min.insync.replicas': ['1', '1', `${INT32}`],
  'remote.copy.lag.bytes': ['-1', '-1', LONG_MAX],
  'remote.copy.lag.ms': ['0', '-1', LONG_MAX],
  'retention.bytes': ['-1', '-9223372036854775808', LONG_MAX],
  'retention.ms': ['604800000', '-1', LONG_MAX],
  'segment.bytes': ['1073741824', '1048576', `${INT32}`],
  'segment.index.bytes': ['10485760', '12', `${INT32}`],
  'segment.jitter.ms': ['0', '0', LONG_MAX],
  'segment.ms': ['604800000', '1', LONG_MAX],
}
const OTHERS: Record<string, string> = {
  'cleanup.policy': 'delete',
  'compression.type': 'producer',
  'errors.deadletterqueue.group.enable': 'false',
  'follower.replication.throttled.replicas': '',
  'leader.replication.throttled.replicas': '',
  'message.timestamp.type': 'CreateTime',
  'min.cleanable.dirty.ratio': '0.5',
  preallocate: 'false',
  'remote.log.copy.disable': 'false',
  'remote.log.delete.on.disable': 'false',
  'remote.storage.enable': 'false',
  'unclean.leader.election.enable': 'false',
}

const keyOf = (name: string) => LOG_SETTINGS.keyOf(name) as SettingKey
const resolve = (name: string, value: unknown) => resolveLogConfig({ [keyOf(name)]: value } as LogConfigInput)
const invalid = expect.objectContaining({ code: 'ERR_CONFIG_INVALID' })

it('has every setting of this list, and no other', () => {
  const names = LOG_SETTINGS.keys.map((key) => LOG_SETTINGS.setting(key).name)
  expect(names.sort()).toEqual([...Object.keys(KAFKA), ...Object.keys(OTHERS)].sort())
})

it("has Kafka's names in camelCase as keys", () => {
  for (const key of LOG_SETTINGS.keys) {
    const camel = LOG_SETTINGS.setting(key).name.replace(/\.(\w)/g, (_, letter: string) =>
      letter.toUpperCase(),
    )
    expect(key).toBe(camel)
  }
})

it('the least index file has room for an entry of the time index', () => {
  expect(resolve('segment.index.bytes', TIME_ENTRY_BYTES).segmentIndexBytes).toBe(TIME_ENTRY_BYTES)
  expect(() => resolve('segment.index.bytes', TIME_ENTRY_BYTES - 1)).toThrow(invalid)
})

describe.each(Object.entries(KAFKA))('%s', (name, [fallback, min, max]) => {
  const key = keyOf(name)

  it("has Kafka's default and takes Kafka's range, edges included", () => {
    const number = fallback === LONG_MAX ? Number.POSITIVE_INFINITY : Number(fallback)
    expect(DEFAULT_LOG_CONFIG[key]).toBe(number)
    for (const edge of [min, max]) {
      const expected = edge === LONG_MAX ? Number.POSITIVE_INFINITY : Number(edge)
      expect(resolve(name, edge)[key]).toBe(expected)
      expect(resolve(name, BigInt(edge))[key]).toBe(expected)
    }
    for (const beyond of [BigInt(min) - 1n, BigInt(max) + 1n]) {
      expect(() => resolve(name, beyond)).toThrow(invalid)
      expect(() => resolve(name, String(beyond))).toThrow(invalid)
    }
  })

  it.each(['', 'x', '1.5', '1e3', 1.5, Number.NaN, null, true, [], {}])('refuses %j', (value) => {
    expect(() => resolve(name, value)).toThrow(invalid)
    expect(() => resolve(name, value)).toThrow(name)
  })

  it('takes Infinity for the largest long alone', () => {
    if (max === LONG_MAX) expect(resolve(name, Number.POSITIVE_INFINITY)[key]).toBe(Number.POSITIVE_INFINITY)
    else expect(() => resolve(name, Number.POSITIVE_INFINITY)).toThrow(invalid)
    expect(() => resolve(name, Number.NEGATIVE_INFINITY)).toThrow(invalid)
  })
})

it('compression.gzip.level is -1 or 1 to 9: Kafka has no level 0', () => {
  for (const level of [-1, 1, 9])
    expect(resolve('compression.gzip.level', level).compressionGzipLevel).toBe(level)
  for (const zero of [0, 0n, '0', '-0']) {
    expect(() => resolve('compression.gzip.level', zero)).toThrow(/from -1 to 9, but not 0, got/)
    expect(() => resolve('compression.gzip.level', zero)).toThrow(invalid)
  }
})

describe('settings that are no whole numbers', () => {
  it.each(Object.entries(OTHERS))("%s has Kafka's default", (name, fallback) => {
    expect(String(DEFAULT_LOG_CONFIG[keyOf(name)])).toBe(fallback)
  })

  it('cleanup.policy is a list, in either form', () => {
    expect(resolve('cleanup.policy', 'compact, delete').cleanupPolicy).toEqual(['compact', 'delete'])
    expect(resolve('cleanup.policy', ['compact']).cleanupPolicy).toEqual(['compact'])
    expect(resolve('cleanup.policy', '').cleanupPolicy).toEqual([])
    expect(resolve('cleanup.policy', 'delete,compact,delete').cleanupPolicy).toEqual(['delete', 'compact'])
    for (const wrong of ['Compact', 'compact,other', 'compact,', ',', ['x'], [''], [5], 5]) {
      expect(() => resolve('cleanup.policy', wrong)).toThrow(invalid)
    }
  })

  it('throttled replicas are pairs of numbers, or all', () => {
    const name = 'leader.replication.throttled.replicas'
    expect(resolve(name, ' 0:1 , 12:3').leaderReplicationThrottledReplicas).toEqual(['0:1', '12:3'])
    expect(resolve(name, ['0:1']).leaderReplicationThrottledReplicas).toEqual(['0:1'])
    expect(resolve(name, '*').leaderReplicationThrottledReplicas).toEqual(['*'])
    for (const wrong of ['0', '0:1,*', 'a:1', '0:1:2', '*:1', '0:1\n2:3', ['0:1,2:3'], [1]]) {
      expect(() => resolve(name, wrong)).toThrow(invalid)
    }
  })

  it('booleans, members and ratios', () => {
    expect(resolve('preallocate', 'TRUE').preallocate).toBe(true)
    expect(() => resolve('preallocate', 'yes')).toThrow(invalid)
    expect(resolve('compression.type', 'uncompressed').compressionType).toBe('uncompressed')
    expect(() => resolve('compression.type', 'none')).toThrow(invalid)
    expect(() => resolve('message.timestamp.type', 'createtime')).toThrow(invalid)
    expect(resolve('min.cleanable.dirty.ratio', '0.25').minCleanableDirtyRatio).toBe(0.25)
    for (const wrong of [-0.1, 1.1, Number.NaN, '', 'x']) {
      expect(() => resolve('min.cleanable.dirty.ratio', wrong)).toThrow(invalid)
    }
  })
})

describe('names', () => {
  it.each(['segmentbytes', 'segment.bytes', '__proto__', 'constructor', 'toString', ''])(
    'there is no setting with the key %j',
    (key) => {
      const input = Object.fromEntries([[key, 1]])
      expect(() => resolveLogConfig(input as LogConfigInput)).toThrow(invalid)
    },
  )

  it.each(['segmentBytes', 'segment.byte', 'log.segment.bytes', '__proto__', ''])(
    'there is no setting with the name %j',
    (name) => {
      expect(() => configFromNames([[name, '1']])).toThrow(invalid)
    },
  )

  it('what differs from the defaults comes back from its text', () => {
    const inputs = fc.record(
      {
        segmentBytes: fc.integer({ min: 1 << 20, max: INT32 }),
        retentionMs: fc.oneof(fc.integer({ min: -1 }), fc.constant(Number.POSITIVE_INFINITY)),
        retentionBytes: fc.oneof(
          fc.integer(),
          fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
          fc.constant(Number.POSITIVE_INFINITY),
        ),
        flushMessages: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        cleanupPolicy: fc.subarray(['compact' as const, 'delete' as const], { minLength: 1 }),
        preallocate: fc.boolean(),
        minInsyncReplicas: fc.integer({ min: 1, max: INT32 }),
        localRetentionMs: fc.integer({ min: -2 }),
        leaderReplicationThrottledReplicas: fc.array(fc.constantFrom('0:1', '2:3')),
        minCleanableDirtyRatio: fc.double({ min: 0, max: 1, noNaN: true }),
        compressionType: fc.constantFrom('zstd' as const, 'producer' as const),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(inputs, (input) => {
        const config = resolveLogConfig(input)
        const names = namesFromConfig(config)
        expect(resolveLogConfig(configFromNames(names))).toEqual(config)
        expect(names.every(([name, value]) => value !== (KAFKA[name]?.[0] ?? OTHERS[name]))).toBe(true)
        expect(names.map(([name]) => name)).toEqual(differingSettings(config, DEFAULT_LOG_CONFIG))
      }),
      fcOptions(200),
    )
  })

  it('the default has no text at all', () => {
    expect(namesFromConfig(DEFAULT_LOG_CONFIG)).toEqual([])
  })
})

it('internal.segment.bytes wins over segment.bytes where it is set', () => {
  expect(segmentBytesOf(DEFAULT_LOG_CONFIG)).toBe(1 << 30)
  expect(segmentBytesOf(resolveLogConfig({ internalSegmentBytes: 300 }))).toBe(300)
})

describe('settings that contradict each other', () => {
  const refused: [input: LogConfigInput, named: RegExp][] = [
    [
      { minCompactionLagMs: 5, maxCompactionLagMs: 4 },
      /min\.compaction\.lag\.ms=5 .* max\.compaction\.lag\.ms=4/,
    ],
    [{ remoteStorageEnable: true, cleanupPolicy: ['compact'] }, /cleanup\.policy=compact/],
    [{ remoteStorageEnable: true, retentionMs: 5, localRetentionMs: 6 }, /local\.retention\.ms=6/],
    [{ remoteStorageEnable: true, retentionMs: 5, localRetentionMs: -1 }, /local\.retention\.ms=-1/],
    [{ remoteStorageEnable: true, retentionBytes: 5, localRetentionBytes: 6 }, /local\.retention\.bytes=6/],
    [{ remoteStorageEnable: true, retentionMs: 5, remoteCopyLagMs: 6 }, /remote\.copy\.lag\.ms=6/],
    [
      { remoteStorageEnable: true, remoteLogCopyDisable: true, localRetentionMs: 5 },
      /local\.retention\.ms=5/,
    ],
  ]

  it.each(refused)('%j', (input, named) => {
    expect(() => resolveLogConfig(input)).toThrow(invalid)
    expect(() => resolveLogConfig(input)).toThrow(named)
    // Each of them alone is fine.
    for (const [key, value] of Object.entries(input)) resolveLogConfig({ [key]: value } as LogConfigInput)
  })

  it('are looked at together with those that were there', () => {
    const base = resolveLogConfig({ maxCompactionLagMs: 4 })
    expect(() => resolveLogConfig({ minCompactionLagMs: 5 }, base)).toThrow(invalid)
    expect(resolveLogConfig({ minCompactionLagMs: 5, maxCompactionLagMs: 6 }, base).minCompactionLagMs).toBe(
      5,
    )
  })
})

describe('settings that mean nothing here', () => {
  it('are named where they are set to something else than the default', () => {
    expect(ignoredSettings(DEFAULT_LOG_CONFIG)).toEqual([])
    const config = resolveLogConfig({
      retentionMs: 5,
      minInsyncReplicas: 2,
      remoteStorageEnable: false,
      uncleanLeaderElectionEnable: true,
    })
    expect(ignoredSettings(config)).toEqual(['min.insync.replicas', 'unclean.leader.election.enable'])
  })
})

describe('what may be deleted', () => {
  it('from a log of our own: always', () => {
    expect(mayDelete(false, {})).toBe(true)
  })

  it.each<LogConfigInput>([
    { cleanupPolicy: ['delete'] },
    { retentionMs: 5 },
    { retentionBytes: -1 },
    { deleteRetentionMs: 5 },
    { minCompactionLagMs: 5 },
    { maxCompactionLagMs: 5 },
    { minCleanableDirtyRatio: 0.1 },
  ])('from a foreign log: where %j is given', (input) => {
    expect(mayDelete(true, { ...input, segmentMs: 5 })).toBe(true)
  })

  it('from a foreign log: not for other settings, nor for none', () => {
    const others = { segmentMs: 5, retentionMs: undefined, fileDeleteDelayMs: 0 } as unknown as LogConfigInput
    for (const input of [{}, others]) expect(mayDelete(true, input)).toBe(false)
  })
})
