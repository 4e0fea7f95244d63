/** Settings of an open log: changed on disk and in force together, or not at all. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseLogProperties } from '../../lib/checkpoint/log-properties.js'
import { DEFAULT_LOG_CONFIG, type LogConfigInput, resolveLogConfig } from '../../lib/config/log-config.js'
import { UnsupportedError } from '../../lib/errors.js'
import type { LogCore } from '../../lib/log/log-core.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { ConfigUpdates } from '../../lib/log/update-config.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { faultyMachine } from '../support/faulty-machine.js'
import { closeLater, collect, numbered, testLog, values } from '../support/log.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'

const SETTINGS = 'partition-log.properties'
const fileOf = (log: PartitionLog) => join(log.path, SETTINGS)
const stored = (log: PartitionLog) => parseLogProperties(SETTINGS, readFileSync(fileOf(log), 'utf8'))

async function recorded(options: OpenLogOptions = {}) {
  const path = join(tempDir(), 'orders-0')
  const machine = new RecordingMachine(dirname(path))
  const log = closeLater(await openLogOn(machine, path, options))
  machine.taken()
  return { machine, log }
}

/** A log as a broker leaves it: without our file. */
async function foreignLog(options: OpenLogOptions = {}): Promise<PartitionLog> {
  const made = await testLog()
  made.append(numbered(1))
  await made.close()
  rmSync(fileOf(made))
  return testLog({ ...options, path: made.path })
}

async function reopened(log: PartitionLog): Promise<PartitionLog> {
  await log.close()
  return testLog({ path: log.path })
}

describe('an update', () => {
  test('changes what it names, in force and on disk, and leaves the rest', async () => {
    const log = await testLog({ config: { segmentMs: 5_000, retentionMs: 7 } })
    const config = await log.updateConfig({ retentionMs: '8', maxMessageBytes: 9n })
    expect(config).toEqual(resolveLogConfig({ segmentMs: 5_000, retentionMs: 8, maxMessageBytes: 9 }))
    expect(log.config).toBe(config)
    expect(Object.isFrozen(config)).toBe(true)
    expect(stored(log)).toEqual({ config, isForeign: false })
    expect((await reopened(log)).config).toEqual(config)
  })

  test('back to the defaults takes the lines away', async () => {
    const log = await testLog({ config: { retentionMs: 7 } })
    await log.updateConfig({ retentionMs: DEFAULT_LOG_CONFIG.retentionMs })
    expect(readFileSync(fileOf(log), 'utf8')).not.toMatch(/^retention/m)
  })

  test('is on disk, under its name, before it is in force', async () => {
    const { machine, log } = await recorded()
    const hold = machine.hold(/^flushPath orders-0$/)
    const updating = log.updateConfig({ retentionMs: 8 })
    await hold.reached
    expect(stored(log).config.retentionMs).toBe(8)
    expect(log.config).toEqual(DEFAULT_LOG_CONFIG)
    hold.release()
    expect((await updating).retentionMs).toBe(8)
    expect(machine.taken()).toEqual([
      `write ${SETTINGS}.tmp`,
      `flushPath ${SETTINGS}.tmp`,
      `rename ${SETTINGS}.tmp`,
      'flushPath orders-0',
    ])
  })

  test('that changes nothing writes nothing', async () => {
    const { machine, log } = await recorded({ config: { retentionMs: 8 } })
    await log.updateConfig({ retentionMs: 8 })
    await log.updateConfig({})
    expect(machine.taken()).toEqual([])
  })

  test('follows the one before it, and does not miss what that one set', async () => {
    const log = await testLog()
    const updates = [
      log.updateConfig({ minCompactionLagMs: 5 }),
      log.updateConfig({ maxCompactionLagMs: 4 }).catch((error) => error.code),
      log.updateConfig({ retentionMs: 6 }),
    ]
    expect((await Promise.all(updates))[1]).toBe('ERR_CONFIG_INVALID')
    expect(log.config).toEqual(resolveLogConfig({ minCompactionLagMs: 5, retentionMs: 6 }))
    expect(stored(log).config).toEqual(log.config)
  })
})

describe('takes effect at once:', () => {
  test('max.message.bytes and segment.bytes', async () => {
    const log = await testLog()
    log.append(numbered(30))
    await log.updateConfig({ internalSegmentBytes: 300 })
    log.append(numbered(2))
    expect(log.segments).toHaveLength(2)
    await log.updateConfig({ maxMessageBytes: 70 })
    expect(() => log.append(numbered(3))).toThrow(expect.objectContaining({ code: 'ERR_BATCH_TOO_LARGE' }))
  })

  test('cleanup.policy', async () => {
    const log = await testLog()
    log.append([{ value: 'v' }])
    await log.updateConfig({ cleanupPolicy: ['compact'] })
    expect(() => log.append([{ value: 'v' }])).toThrow(expect.objectContaining({ code: 'ERR_KEY_REQUIRED' }))
  })

  test('compression.type, its library loaded', async () => {
    const log = await testLog()
    const appender = log.appender()
    await log.updateConfig({ compressionType: 'zstd' })
    log.append(numbered(20))
    await appender.send({ key: 'k', value: 'v20' })
    const batches = await collect(log.read().batches())
    expect(batches.map(({ codec }) => codec)).toEqual(['zstd', 'zstd'])
    expect(await values(log.read({ from: 19n }))).toEqual(['v19', 'v20'])
  })

  test('flush.messages', async () => {
    const { machine, log } = await recorded()
    log.append(numbered(3))
    await log.updateConfig({ flushMessages: 4 })
    machine.taken()
    const hold = machine.hold(/^flush 0\.log/)
    log.append(numbered(1))
    await hold.reached
    hold.release()
    await log.whenDurable(3)
  })
})

describe('takes effect with the next segment:', () => {
  test('segment.index.bytes and preallocate', async () => {
    const log = await testLog({ config: { segmentIndexBytes: 800, internalSegmentBytes: 5_000 } })
    log.append(numbered(1))
    await log.updateConfig({ segmentIndexBytes: 400, preallocate: true })
    log.append(numbered(1))
    expect(log.segments[0]).toMatchObject({ offsetIndexBytes: 800 })
    const base = log.roll()
    log.append(numbered(1))
    expect(log.segments[1]).toMatchObject({ baseOffset: base, offsetIndexBytes: 400 })
    expect(statSync(join(log.path, `${String(base).padStart(20, '0')}.log`)).size).toBe(5_000)
  })

  test('index.interval.bytes', async () => {
    const log = await testLog()
    const entries = () => log.segments.map(({ offsetIndexEntries }) => offsetIndexEntries)
    log.append(numbered(1))
    await log.updateConfig({ indexIntervalBytes: 0 })
    for (let n = 0; n < 5; n++) log.append(numbered(1))
    expect(entries()).toEqual([0])
    log.roll()
    for (let n = 0; n < 5; n++) log.append(numbered(1))
    expect(entries()).toEqual([0, 4])
  })

  test('index.interval.bytes of an empty segment that takes its own place', async () => {
    const log = await testLog()
    await log.updateConfig({ indexIntervalBytes: 0 })
    log.roll()
    for (let n = 0; n < 5; n++) log.append(numbered(1))
    expect(log.segments.map(({ offsetIndexEntries }) => offsetIndexEntries)).toEqual([4])
  })
})

describe('is refused, and changes nothing:', () => {
  test.each<[string, LogConfigInput]>([
    ['a value out of bounds', { segmentMs: 0 }],
    ['an unknown setting', { segmentMss: 5 } as LogConfigInput],
    ['one beside a right one', { retentionMs: 5, segmentMs: 0 }],
    ['settings that contradict each other', { minCompactionLagMs: 6, maxCompactionLagMs: 5 }],
  ])('%s', async (_, partial) => {
    const { machine, log } = await recorded()
    await expect(log.updateConfig(partial)).rejects.toMatchObject({ code: 'ERR_CONFIG_INVALID' })
    expect(log.config).toEqual(DEFAULT_LOG_CONFIG)
    expect(machine.taken()).toEqual([])
  })

  test('what is no object', async () => {
    const log = await testLog()
    for (const wrong of [undefined, null, 'retention.ms=5']) {
      const updating = log.updateConfig(wrong as unknown as LogConfigInput)
      await expect(updating).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    }
  })

  test('a log opened with readOnly', async () => {
    const log = await testLog()
    const before = readFileSync(fileOf(log), 'utf8')
    const reader = (await testLog({ path: log.path, readOnly: true })) as PartitionLog
    await expect(reader.updateConfig({ retentionMs: 5 })).rejects.toMatchObject({ code: 'ERR_READ_ONLY' })
    expect(readFileSync(fileOf(log), 'utf8')).toBe(before)
  })

  test('a log that is closed, or on its way there', async () => {
    const log = await testLog()
    const closing = log.close()
    await expect(log.updateConfig({ retentionMs: 5 })).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await closing
    await expect(log.updateConfig({ retentionMs: 5 })).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    expect(stored(log).config).toEqual(DEFAULT_LOG_CONFIG)
  })

  test('a log that is offline', async () => {
    const { machine, failAppend } = faultyMachine()
    const log = closeLater(await openLogOn(machine, join(tempDir(), 'orders-0')))
    failAppend(1, 'EIO')
    expect(() => log.append(numbered(1))).toThrow()
    await expect(log.updateConfig({ retentionMs: 5 })).rejects.toMatchObject({ code: 'ERR_OFFLINE' })
    expect(stored(log).config).toEqual(DEFAULT_LOG_CONFIG)
  })

  test('a codec without a library', async () => {
    const core = {
      assertOpen: () => undefined,
      during: (work: () => Promise<unknown>) => work(),
      config: DEFAULT_LOG_CONFIG,
      mayDelete: true,
      env: { loadCodec: () => Promise.reject(new UnsupportedError('ERR_UNSUPPORTED', 'no zstd')) },
    } as unknown as LogCore
    const updating = new ConfigUpdates(core).update({ compressionType: 'zstd' })
    await expect(updating).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED' })
    expect(core.config).toBe(DEFAULT_LOG_CONFIG)
  })
})

describe('a failed write leaves the old settings, in memory and on disk', () => {
  const STEPS = [
    `write ${SETTINGS}.tmp`,
    `flushPath ${SETTINGS}.tmp`,
    `rename ${SETTINGS}.tmp`,
    'flushPath orders-0',
  ]

  test.each(
    STEPS.flatMap((step) => [[step, 'EIO', 'ERR_IO'] as const, [step, 'ENOSPC', 'ERR_DISK_FULL'] as const]),
  )('%s: %s', async (step, errno, code) => {
    const { machine, log } = await recorded({ config: { retentionMs: 7 } })
    const before = readFileSync(fileOf(log), 'utf8')
    machine.fail(new RegExp(`^${step}$`), errno)
    await expect(log.updateConfig({ retentionMs: 8 })).rejects.toMatchObject({ code })
    expect(log.config.retentionMs).toBe(7)
    expect(readFileSync(fileOf(log), 'utf8')).toBe(before)
    expect(existsSync(`${fileOf(log)}.tmp`)).toBe(false)
    // The log is none the worse.
    log.append(numbered(1))
    expect((await log.updateConfig({ retentionMs: 9 })).retentionMs).toBe(9)
    expect((await reopened(log)).config.retentionMs).toBe(9)
  })

  test('of a log that had no file, there is none', async () => {
    const opened = await foreignLog()
    await opened.close()
    const { path } = opened
    const machine = new RecordingMachine(dirname(path))
    const log = closeLater(await openLogOn(machine, path))
    machine.fail(/^flushPath orders-0$/, 'EIO')
    await expect(log.updateConfig({ maxMessageBytes: 8 })).rejects.toMatchObject({ code: 'ERR_IO' })
    expect(existsSync(fileOf(log))).toBe(false)
    expect(log.config).toEqual(DEFAULT_LOG_CONFIG)
  })

  test('where they could not be put back, the error says so', async () => {
    const { machine, log } = await recorded()
    machine.failWhere((event) => (event === 'flushPath orders-0' ? 'EIO' : undefined))
    const updating = log.updateConfig({ retentionMs: 8 })
    await expect(updating).rejects.toMatchObject({ code: 'ERR_IO', path: fileOf(log) })
    await expect(updating).rejects.toThrow(/could the old settings be put back/)
    expect(log.config).toEqual(DEFAULT_LOG_CONFIG)
    machine.failWhere(() => undefined)
  })
})

test('a close waits for an update under way', async () => {
  const { machine, log } = await recorded()
  const hold = machine.hold(/^rename/)
  const updating = log.updateConfig({ retentionMs: 8 })
  await hold.reached
  const queued = log.updateConfig({ retentionMs: 9 })
  const refused = expect(queued).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  let isClosed = false
  const closing = log.close().then(() => {
    isClosed = true
  })
  // More than enough to do for the close to end meanwhile, if it did not wait.
  for (let n = 0; n < 5; n++) await (await testLog()).close()
  expect(isClosed).toBe(false)
  hold.release()
  await closing
  expect((await updating).retentionMs).toBe(8)
  await refused
  expect(stored(log).config.retentionMs).toBe(8)
})

describe('a foreign log', () => {
  test('gets the file with its first update: all of its settings', async () => {
    const log = await foreignLog({ config: { segmentMs: 7 } })
    expect(existsSync(fileOf(log))).toBe(false)
    await log.updateConfig({ maxMessageBytes: 8 })
    expect(stored(log).config).toEqual(resolveLogConfig({ segmentMs: 7, maxMessageBytes: 8 }))
  })

  test('stays one, after the next open too, until a setting of deletion is given', async () => {
    const log = await foreignLog()
    await log.updateConfig({ maxMessageBytes: 8 })
    expect(stored(log).isForeign).toBe(true)
    const again = await reopened(log)
    await again.updateConfig({ maxMessageBytes: 9 })
    expect(stored(again).isForeign).toBe(true)
    await again.updateConfig({ retentionMs: DEFAULT_LOG_CONFIG.retentionMs })
    expect(stored(again).isForeign).toBe(false)
    await again.updateConfig({ maxMessageBytes: 10 })
    expect(stored(again)).toEqual({ config: resolveLogConfig({ maxMessageBytes: 10 }), isForeign: false })
  })

  test('is none where it was opened with a setting of deletion', async () => {
    const log = await foreignLog({ config: { retentionBytes: 100 } })
    await log.updateConfig({ maxMessageBytes: 8 })
    expect(stored(log).isForeign).toBe(false)
  })
})

describe('settings that mean nothing here', () => {
  const ofOurs = (calls: readonly unknown[][]) =>
    calls.map(([text]) => String(text)).filter((text) => /ignored/.test(text))

  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('are kept, with one warning for each log that is opened with them', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const config = { minInsyncReplicas: 2, uncleanLeaderElectionEnable: true, retentionMs: 5 }
    const log = await testLog({ config })
    expect(ofOurs(warn.mock.calls)).toEqual([
      expect.stringMatching(/^orders-0 .*: min\.insync\.replicas, unclean\.leader\.election\.enable$/),
    ])
    expect(readFileSync(fileOf(log), 'utf8')).toContain('\nmin.insync.replicas=2\n')
    const again = await reopened(log)
    expect(again.config).toEqual(resolveLogConfig(config))
    expect(ofOurs(warn.mock.calls)).toHaveLength(2)
  })

  test('are warned of when an update sets them, and not again', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const log = await testLog()
    await log.updateConfig({ retentionMs: 5 })
    expect(ofOurs(warn.mock.calls)).toEqual([])
    await log.updateConfig({ minInsyncReplicas: 2 })
    await log.updateConfig({ minInsyncReplicas: 3, remoteLogCopyDisable: true })
    expect(ofOurs(warn.mock.calls)).toEqual([
      expect.stringMatching(/: min\.insync\.replicas$/),
      expect.stringMatching(/: remote\.log\.copy\.disable$/),
    ])
  })
})

test('a stored setting that nobody knows refuses the log, and is not lost', async () => {
  const log = await testLog({ config: { retentionMs: 5 } })
  await log.close()
  const text = `${readFileSync(fileOf(log), 'utf8')}retention.hold=true\n`
  writeFileSync(fileOf(log), text)
  for (const options of [{}, { readOnly: true }]) {
    const opening = testLog({ path: log.path, ...options })
    await expect(opening).rejects.toMatchObject({ code: 'ERR_CORRUPT', kind: 'settings', path: fileOf(log) })
    await expect(opening).rejects.toThrow(/line 3: unknown setting retention\.hold; .*take the line out/)
  }
  expect(readFileSync(fileOf(log), 'utf8')).toBe(text)
})
