/** Making, finding and listing logs; what a manager tells and refuses. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Progress } from '../../lib/manager/manager-options.js'
import { openLogManager } from '../../lib/manager/open-log-manager.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { numbered, values } from '../support/log.js'
import { named, namesOf, testManager } from '../support/manager.js'
import { telling } from '../support/telling.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const MARKER = '.kafka_cleanshutdown'

describe('createLog', () => {
  test('makes a log that can be used, found and listed', async () => {
    const directory = tempDir()
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
    const directory = tempDir()
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
    const above = tempDir()
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
    const [first, second, third] = [tempDir(), tempDir(), tempDir()]
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
    const logDirs = [tempDir(), tempDir()]
    const manager = await testManager({ logDirs })
    await Promise.all(Array.from({ length: 6 }, (_, n) => manager.createLog({ topic: 'a', partition: n })))
    for (const directory of logDirs) {
      expect(readdirSync(directory).filter((name) => name.startsWith('a-'))).toHaveLength(3)
    }
  })

  test('are found again where they were, and those that are missing are made', async () => {
    const logDirs = [tempDir(), join(tempDir(), 'new', 'one')]
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

describe('opening', () => {
  /** A directory of `count` logs with `n` records in the nth, closed cleanly. */
  async function closedLogs(count: number): Promise<string> {
    const directory = tempDir()
    const manager = await testManager({ logDirs: [directory] })
    for (let n = 0; n < count; n++) {
      const log = await manager.createLog({ topic: 'many', partition: n })
      if (n > 0) log.append(numbered(n))
    }
    await manager.close()
    return directory
  }

  test('loads all logs, several at a time, and tells how far it is', async () => {
    const directory = await closedLogs(20)
    const told: Progress[] = []
    const manager = await testManager({ logDirs: [directory], onProgress: (progress) => told.push(progress) })
    expect(manager.logs()).toHaveLength(20)
    for (const [n, log] of manager.logs().entries()) expect(log.offsets.logEndOffset).toBe(BigInt(n))
    expect(told.map(({ done }) => done)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    for (const { phase, total } of told) expect([phase, total]).toEqual(['load', 20])
    expect(new Set(told.map(({ log }) => log)).size).toBe(20)
  })

  test('an empty directory is opened, and closed with a marker', async () => {
    const directory = tempDir()
    await (await testManager({ logDirs: [directory] })).close()
    expect(readdirSync(directory).sort()).toEqual([MARKER])
  })

  test('what was closed is refused without its marker, and left as it was', async () => {
    const directory = await closedLogs(2)
    rmSync(join(directory, MARKER))
    const before = treeOf(directory)
    expect(await codeOf(() => testManager({ logDirs: [directory] }))).toBe('ERR_UNCLEAN')
    expect(treeOf(directory)).toEqual(before)
  })

  test.each([
    [{}, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: [] }, 'ERR_OUT_OF_RANGE'],
    [{ logDirs: 'data' }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: [''] }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a', './a'] }, 'ERR_OUT_OF_RANGE'],
    [{ logDirs: ['a'], config: { nonsense: 1 } }, 'ERR_CONFIG_INVALID'],
    [{ logDirs: ['a'], logDir: 'b' }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], onProgress: true }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], signal: {} }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], highWatermark: 'mine' }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], logger: console.log }, 'ERR_INVALID_ARG_TYPE'],
  ])('refuses the options %j and makes nothing', async (options, code) => {
    expect(await codeOf(async () => openLogManager(options as never))).toBe(code)
    expect(existsSync('a')).toBe(false)
  })

  test('aborted before it began, nothing is touched', async () => {
    const directory = join(tempDir(), 'data')
    const signal = AbortSignal.abort(new Error('not now'))
    await expect(testManager({ logDirs: [directory], signal })).rejects.toThrow('not now')
    expect(existsSync(directory)).toBe(false)
  })

  test('aborted on the way, all is given back as it was', async () => {
    const directory = await closedLogs(20)
    const before = treeOf(directory)
    const abort = new AbortController()
    const opening = testManager({
      logDirs: [directory],
      signal: abort.signal,
      onProgress: ({ done }) => done === 3 && abort.abort(new Error('enough')),
    })
    await expect(opening).rejects.toThrow('enough')
    if (canSeeDescriptors) expect(openBelow(directory).length).toBe(0)
    // The directory was clean, and nothing in it was written to.
    expect(treeOf(directory)).toEqual(before)
    expect((await testManager({ logDirs: [directory] })).logs()).toHaveLength(20)
  })

  test('an onProgress that throws ends it, and all is given back', async () => {
    const directory = await closedLogs(20)
    let calls = 0
    const opening = testManager({
      logDirs: [directory],
      onProgress() {
        if (++calls === 2) throw new Error('host')
      },
    })
    await expect(opening).rejects.toThrow('host')
    if (canSeeDescriptors) expect(openBelow(directory).length).toBe(0)
    expect((await testManager({ logDirs: [directory] })).logs()).toHaveLength(20)
  })

  test('known fault 151: a log that cannot be read is left out with its path, the others open', async () => {
    const directory = await closedLogs(3)
    const properties = join(directory, 'many-1', 'partition-log.properties')
    writeFileSync(properties, 'segment.color=red\n')
    const { logger, of } = telling()
    const manager = await testManager({ logDirs: [directory], logger })
    expect(namesOf(manager)).toEqual(['many-0', 'many-2'])
    expect(manager.problems).toEqual([
      {
        log: 'many-1',
        paths: [join(directory, 'many-1')],
        error: expect.objectContaining({ code: 'ERR_CORRUPT' }),
      },
    ])
    expect(manager.problems[0]?.error).toMatchObject({ path: properties, kind: 'settings' })
    expect(of('error')).toContainEqual(expect.stringContaining('segment.color'))
    expect(await codeOf(() => manager.createLog(named('many-1')))).toBe('ERR_CORRUPT')
    expect(readFileSync(properties, 'latin1')).toBe('segment.color=red\n')
    await manager.close()
    expect(existsSync(join(directory, MARKER))).toBe(false)
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
    const directory = tempDir()
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
    const directory = tempDir()
    const manager = await testManager({ logDirs: [directory] })
    await manager[Symbol.asyncDispose]()
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })
})

test('files can be read by their owner and group only', async () => {
  const directory = join(tempDir(), 'data')
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
  const directory = join(tempDir(), 'data')
  mkdirSync(directory, { mode: 0o755 })
  await (await testManager({ logDirs: [directory] })).close()
  expect(statSync(directory).mode & 0o777).toBe(0o755)
})
