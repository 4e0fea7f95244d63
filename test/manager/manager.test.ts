/** Making, finding and listing logs; what a manager tells and refuses. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { numbered, values } from '../support/log.js'
import { TestClock } from '../support/machine.js'
import { named, namesOf, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'

const MARKER = '.kafka_cleanshutdown'

describe('createLog', () => {
  test('makes a log that can be used, found and listed', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const log = await manager.createLog({ topic: 'orders', partition: 0 })
    log.append(numbered(2))
    expect(await values(log.read())).toEqual(['v0', 'v1'])
    expect(log.path).toBe(join(directory, 'orders-0'))
    expect(manager.getLog({ topic: 'orders', partition: 0 })).toBe(log)
    expect(manager.getLog({ topic: 'orders', partition: 1 })).toBeUndefined()
    expect(manager.logs()).toEqual([log])
    expect(readdirSync(log.path)).toEqual(
      expect.arrayContaining([
        '00000000000000000000.log',
        'leader-epoch-checkpoint',
        'partition-log.properties',
        'partition.metadata',
      ]),
    )
  })

  test('lists by topic, then by the number of the partition', async () => {
    const manager = await testManager()
    for (const name of ['b-2', 'b-10', 'a-b-0', 'a-1', 'a-0']) await manager.createLog(named(name))
    expect(namesOf(manager)).toEqual(['a-0', 'a-1', 'a-b-0', 'b-2', 'b-10'])
  })

  test('gives the log that is there; other settings than its own are a mismatch', async () => {
    const manager = await testManager({ config: { segmentMs: 7_000 } })
    const log = await manager.createLog(named('orders-0'), { retentionMs: 5_000 })
    expect(log.config).toMatchObject({ segmentMs: 7_000, retentionMs: 5_000 })
    for (const same of [{}, { retentionMs: 5_000n }, { segmentMs: '7000' }]) {
      expect(await manager.createLog(named('orders-0'), same)).toBe(log)
    }
    expect(await rejection(() => manager.createLog(named('orders-0'), { retentionMs: 6_000 }))).toMatchObject(
      {
        code: 'ERR_CONFIG_MISMATCH',
        actual: ['retention.ms'],
      },
    )
    expect(log.state).toBe('open')
  })

  test('compares with the stored settings of a log that its user has closed, too', async () => {
    const manager = await testManager()
    const log = await manager.createLog(named('orders-0'), { retentionMs: 5_000 })
    log.append(numbered(1))
    await log.close()
    expect(namesOf(manager)).toEqual([])
    expect(await codeOf(() => manager.createLog(named('orders-0'), { retentionMs: 6_000 }))).toBe(
      'ERR_CONFIG_MISMATCH',
    )
    const again = await manager.createLog(named('orders-0'))
    expect(again).not.toBe(log)
    expect(again.config.retentionMs).toBe(5_000)
    expect(await values(again.read())).toEqual(['v0'])
  })

  test.each([
    [{ retentionMs: -5 }, 'retention.ms'],
    [{ nonsense: 1 }, 'nonsense'],
    [{ segmentIndexBytes: 11 }, 'segment.index.bytes'],
  ])('refuses the settings %j before it makes anything', async (config, setting) => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const before = readdirSync(directory)
    const error = await rejection(() => manager.createLog(named('orders-0'), config as never))
    expect(error).toMatchObject({
      code: 'ERR_CONFIG_INVALID',
      message: expect.stringContaining(setting),
    })
    expect(readdirSync(directory)).toEqual(before)
  })

  test('known fault 137: a name never leads out of its directory', async () => {
    const above = memoryDir()
    const manager = await testManager({ logDirs: [join(above, 'data')] })
    const topics = ['', '.', '..', '../x', 'a/b', '/etc', 'a\\b', 'a\0', 'a b', 'ä', 'a'.repeat(250), `a\n`]
    for (const topic of topics) {
      for (const call of [
        () => manager.createLog({ topic, partition: 0 }),
        () => manager.deleteLog({ topic, partition: 0 }),
        async () => manager.getLog({ topic, partition: 0 }),
      ])
        expect(await rejection(call), topic).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' })
    }
    for (const partition of [-1, 1.5, 2 ** 31, Number.NaN, '0', null, 1n]) {
      const wrong = { topic: 'a', partition: partition as number }
      expect(await codeOf(() => manager.createLog(wrong)), String(partition)).toMatch(
        /^ERR_(OUT_OF_RANGE|INVALID_ARG_TYPE)$/,
      )
    }
    expect(readdirSync(above)).toEqual(['data'])
    expect(readdirSync(join(above, 'data')).filter((name) => !name.startsWith('.'))).toEqual([])
  })

  test('a topic and a partition as long as they can be', async () => {
    const manager = await testManager()
    const longest = { topic: `${'t'.repeat(244)}-._-9`, partition: 9_999 }
    const log = await manager.createLog(longest)
    expect(log.name).toHaveLength(254)
    expect(manager.getLog(longest)).toBe(log)
    const last = await manager.createLog({ topic: 'a', partition: 2 ** 31 - 1 })
    expect(last.name).toBe('a-2147483647')
  })
})

describe('several directories', () => {
  test('each new log goes where the fewest are', async () => {
    const [first, second, third] = [memoryDir(), memoryDir(), memoryDir()]
    const manager = await testManager({ logDirs: [first, second, third] })
    const at = async (name: string) =>
      (await manager.createLog(named(name))).path.split('/').slice(0, -1).join('/')
    expect([await at('a-0'), await at('a-1'), await at('a-2'), await at('a-3')]).toEqual([
      first,
      second,
      third,
      first,
    ])
    await manager.deleteLog(named('a-1'))
    expect(await at('a-4')).toBe(second)
  })

  test('also where many are made at once', async () => {
    const logDirs = [memoryDir(), memoryDir()]
    const manager = await testManager({ logDirs })
    await Promise.all(Array.from({ length: 6 }, (_, n) => manager.createLog({ topic: 'a', partition: n })))
    for (const directory of logDirs) {
      expect(readdirSync(directory).filter((name) => name.startsWith('a-'))).toHaveLength(3)
    }
  })

  test('are found again where they were, and those that are missing are made', async () => {
    const logDirs = [memoryDir(), join(memoryDir(), 'new', 'one')]
    const manager = await testManager({ logDirs })
    for (const name of ['a-0', 'b-0', 'c-0']) (await manager.createLog(named(name))).append(numbered(1))
    const before = manager.logs().map(({ path }) => path)
    await manager.close()
    for (const directory of logDirs) expect(existsSync(join(directory, MARKER))).toBe(true)
    const again = await testManager({ logDirs: [...logDirs].reverse() })
    expect(again.logs().map(({ path }) => path)).toEqual(before)
    for (const log of again.logs()) expect(await values(log.read())).toEqual(['v0'])
    expect(again.problems).toEqual([])
  })
})

describe('a closed manager', () => {
  test('refuses what needs it; a second close is the first one', async () => {
    const manager = await testManager()
    const log = await manager.createLog(named('orders-0'))
    const closing = manager.close()
    expect(manager.close()).toBe(closing)
    for (const call of [
      () => manager.createLog(named('a-0')),
      () => manager.deleteLog(named('orders-0')),
      () => manager.runRetention(),
      () => manager.checkpoint(),
    ]) {
      expect(await codeOf(call)).toBe('ERR_CLOSED')
    }
    await closing
    expect(log.state).toBe('closed')
    expect(errorFrom(() => log.append(numbered(1))).code).toBe('ERR_CLOSED')
    expect(manager.logs()).toEqual([])
  })

  test('leaves checkpoints, a marker and nothing open', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    for (const name of ['a-0', 'b-1']) (await manager.createLog(named(name))).append(numbered(3))
    await manager.getLog(named('b-1'))?.deleteRecordsBefore(2)
    await manager.close()
    const read = (name: string) => readFileSync(join(directory, name), 'latin1')
    expect(read('recovery-point-offset-checkpoint')).toBe('0\n2\na 0 3\nb 1 3\n')
    expect(read('replication-offset-checkpoint')).toBe('0\n2\na 0 3\nb 1 3\n')
    expect(read('log-start-offset-checkpoint')).toBe('0\n1\nb 1 2\n')
    expect(read(MARKER)).toBe('{"version":0,"brokerEpoch":-1}')
    expect(existsSync(join(directory, '.lock'))).toBe(false)
    if (canSeeDescriptors) expect(openBelow(directory).length).toBe(0)
  })

  test('can be left to `await using`', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    await manager[Symbol.asyncDispose]()
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })
})

test('known fault 68: every small file is written beside its name, flushed, and renamed', async () => {
  const directory = memoryDir()
  const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
  const manager = await testManager({ logDirs: [directory], machine })
  const log = await manager.createLog(named('orders-0'))
  log.append(numbered(1), { leaderEpoch: 1 })
  await log.flush()
  await manager.close()
  const steps = machine.taken()
  // A snapshot of producers is written in place, as in a broker: its checksum tells one that was not finished.
  const names = steps
    .flatMap((step) => /^write (.*)$/.exec(step)?.[1] ?? [])
    .filter((name) => !name.endsWith('.snapshot'))
  expect(new Set(names)).toEqual(
    new Set(
      [
        'partition-log.properties',
        'partition.metadata',
        'leader-epoch-checkpoint',
        'recovery-point-offset-checkpoint',
        'log-start-offset-checkpoint',
        'replication-offset-checkpoint',
        MARKER,
      ].map((name) => `${name}.tmp`),
    ),
  )
  for (const name of names) {
    const at = steps.indexOf(`write ${name}`)
    const flushed = steps.indexOf(`flushPath ${name}`, at)
    const renamed = steps.indexOf(`rename ${name}`, flushed)
    const directoryFlushed = steps.findIndex(
      (step, n) => n > renamed && /^flushPath (above|orders-0)$/.test(step),
    )
    expect([at < flushed, flushed < renamed, renamed < directoryFlushed], name).toEqual([true, true, true])
  }
})

test('files can be read by their owner and group only', async () => {
  const directory = join(memoryDir(), 'data')
  const manager = await testManager({ logDirs: [directory], config: { internalSegmentBytes: 200 } })
  const log = await manager.createLog(named('orders-0'))
  for (let n = 0; n < 4; n++) log.append(numbered(1, n))
  await log.flush()
  await log.deleteRecordsBefore(1)
  await manager.checkpoint()
  const worldly = () =>
    [
      directory,
      ...readdirSync(directory, { recursive: true }).map((name) => join(directory, String(name))),
    ].filter((path) => (statSync(path).mode & 0o007) !== 0)
  expect(worldly()).toEqual([])
  await manager.close()
  expect(worldly()).toEqual([])
})

test('an existing directory of another owner’s making is not given other permissions', async () => {
  const directory = join(memoryDir(), 'data')
  mkdirSync(directory, { mode: 0o755 })
  await (await testManager({ logDirs: [directory] })).close()
  expect(statSync(directory).mode & 0o777).toBe(0o755)
})
