/** A broker's properties as settings of logs and of a manager. */
import { describe, expect, it } from 'vitest'
import {
  configFromBrokerNames,
  managerConfigFromBrokerNames,
  otherBrokerNames,
} from '../../lib/config/broker-names.js'
import { resolveLogConfig } from '../../lib/config/log-config.js'
import { resolveManagerConfig } from '../../lib/config/manager-config.js'

const invalid = expect.objectContaining({ code: 'ERR_CONFIG_INVALID' })
const logConfig = (properties: Record<string, string>) =>
  resolveLogConfig(configFromBrokerNames(Object.entries(properties)))

/** The storage part of a file as it is shipped, and some of the rest. */
const SERVER_PROPERTIES = {
  'node.id': '1',
  listeners: 'PLAINTEXT://:9092',
  'log.dirs': 'data',
  'num.recovery.threads.per.data.dir': '4',
  'log.flush.interval.messages': '10000',
  'log.retention.hours': '168',
  'log.retention.bytes': '1073741824',
  'log.segment.bytes': '1073741824',
  'log.retention.check.interval.ms': '300000',
  'log.cleaner.threads': '2',
  'log.cleaner.min.cleanable.ratio': '0.3',
  'log.cleanup.policy': 'compact,delete',
  'log.index.size.max.bytes': '1048576',
  'message.max.bytes': '2000',
  'compression.type': 'zstd',
  'log.segmentbytes': '5',
}

it('gives topics and the manager their parts, and tells what is left', () => {
  const entries = Object.entries(SERVER_PROPERTIES)
  expect(configFromBrokerNames(entries)).toEqual({
    cleanupPolicy: ['compact', 'delete'],
    compressionType: 'zstd',
    flushMessages: 10_000,
    maxMessageBytes: 2_000,
    minCleanableDirtyRatio: 0.3,
    retentionBytes: 1_073_741_824,
    retentionMs: 604_800_000,
    segmentBytes: 1_073_741_824,
    segmentIndexBytes: 1_048_576,
  })
  expect(resolveManagerConfig(managerConfigFromBrokerNames(entries))).toMatchObject({
    cleanerThreads: 2,
    numRecoveryThreadsPerDataDir: 4,
    retentionCheckIntervalMs: 300_000,
  })
  expect(otherBrokerNames(entries)).toEqual(['node.id', 'listeners', 'log.dirs', 'log.segmentbytes'])
})

describe('of several names for one time', () => {
  it('ms count before minutes, minutes before hours, in any order', () => {
    const hours = { 'log.retention.hours': '2' }
    const minutes = { 'log.retention.minutes': '3', ...hours }
    expect(logConfig(hours).retentionMs).toBe(7_200_000)
    expect(logConfig(minutes).retentionMs).toBe(180_000)
    expect(logConfig({ ...minutes, 'log.retention.ms': '4' }).retentionMs).toBe(4)
    expect(logConfig({ 'log.roll.ms': '5', 'log.roll.hours': '2' }).segmentMs).toBe(5)
    expect(logConfig({ 'log.roll.hours': '2' }).segmentMs).toBe(7_200_000)
    expect(logConfig({ 'log.roll.jitter.hours': '1', 'log.roll.jitter.ms': '6' }).segmentJitterMs).toBe(6)
  })

  it('log.flush.interval.ms counts before the period of the scheduler', () => {
    expect(logConfig({ 'log.flush.scheduler.interval.ms': '7' }).flushMs).toBe(7)
    expect(logConfig({ 'log.flush.scheduler.interval.ms': '7', 'log.flush.interval.ms': '8' }).flushMs).toBe(
      8,
    )
  })

  it('every given one is checked', () => {
    expect(() => logConfig({ 'log.retention.ms': '4', 'log.retention.hours': 'x' })).toThrow(invalid)
    expect(() => logConfig({ 'log.roll.ms': '4', 'log.roll.hours': '0' })).toThrow(/log\.roll\.hours/)
  })
})

it('any negative retention is none, and 0 a mistake', () => {
  for (const text of ['-1', '-5']) expect(logConfig({ 'log.retention.hours': text }).retentionMs).toBe(-1)
  for (const name of ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours']) {
    expect(() => logConfig({ [name]: '0' })).toThrow(invalid)
    expect(() => logConfig({ [name]: '0' })).toThrow(name)
  }
})

it('a refusal names the broker’s name', () => {
  expect(() => logConfig({ 'log.segment.bytes': '5' })).toThrow(/^log\.segment\.bytes must be from 1048576/)
})
