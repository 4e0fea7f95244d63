/** Log directories that cannot be had, or fail while they are used: each goes offline alone, and is told. */
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { FailingMachine } from '../support/failing-machine.js'
import { numbered } from '../support/log.js'
import { TestClock } from '../support/machine.js'
import { closedDirectory, named, namesOf, type Told, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { swiftBackend } from '../support/swift-backend.js'
import { telling } from '../support/telling.js'
import { memoryDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'
import { turns, until } from '../support/turns.js'

const MARKER = '.kafka_cleanshutdown'

/** Permissions do not bind root: some tests act as nobody for a while. */
const isRoot = process.geteuid?.() === 0

afterEach(() => {
  if (isRoot) process.seteuid?.(0)
})

describe('a directory that cannot be had', () => {
  /** Damage to a directory, with the error that it gives. */
  const damages: [name: string, fault: (machine: FailingMachine, directory: string) => void][] = [
    [
      'cannot be locked',
      (machine, directory) => machine.failWhere('lockDirectory', new RegExp(directory), 'EROFS'),
    ],
    ['cannot be listed', (machine, directory) => machine.failWhere('list', new RegExp(`${directory}$`))],
    [
      'keeps its marker',
      (machine, directory) => machine.failWhere('remove', new RegExp(`${directory}.*clean`)),
    ],
    [
      'has a marker that cannot be read',
      (machine, directory) => machine.failWhere('read', new RegExp(`${directory}.*clean`)),
    ],
    [
      'has a checkpoint that cannot be read',
      (machine, directory) => machine.failWhere('read', new RegExp(`${directory}.*log-start`)),
    ],
    [
      'cannot be made',
      (machine, directory) => machine.failWhere('makeDirectory', new RegExp(directory), 'EACCES'),
    ],
    ['cannot be flushed', (machine, directory) => machine.failWhere('flushPath', new RegExp(directory))],
  ]

  test.each(damages)('known fault 149: since it %s is left out alone, as it was', async (_, damage) => {
    const [broken, sound] = [await closedDirectory('a-0'), await closedDirectory('b-0')]
    const before = treeOf(broken)
    const machine = new FailingMachine()
    damage(machine, broken)
    const { logger, of } = telling()
    const manager = await testManager({ logDirs: [broken, sound], machine, logger })
    expect(namesOf(manager)).toEqual(['b-0'])
    expect(manager.problems).toMatchObject([{ log: undefined, paths: [broken], error: { code: 'ERR_IO' } }])
    expect(of('error')).toEqual([expect.stringContaining(broken)])
    const log = manager.getLog(named('b-0')) ?? expect.fail()
    await log.append(numbered(1)).durable()
    // A log that is not found may lie where nobody can look.
    expect(await codeOf(() => manager.createLog(named('a-0')))).toBe('ERR_IO')
    expect(await codeOf(() => manager.createLog(named('new-0')))).toBe('ERR_IO')
    expect(await manager.createLog(named('b-0'))).toBe(log)
    await manager.close()
    machine.mend()
    expect(treeOf(broken)).toEqual(before)
    expect(namesOf(await testManager({ logDirs: [broken, sound] }))).toEqual(['a-0', 'b-0'])
  })

  test('as the only one is the error of opening', async () => {
    const path = join(memoryDir(), 'file')
    writeFileSync(path, 'x')
    expect(await rejection(() => testManager({ logDirs: [path] }))).toMatchObject({ code: 'ERR_IO' })
    expect(await codeOf(() => testManager({ logDirs: [join(path, 'below')] }))).toBe('ERR_IO')
  })

  test('known fault 41: a marker that cannot be taken away is no clean start', async () => {
    const directory = await closedDirectory('a-0')
    const machine = new FailingMachine()
    machine.failWhere('remove', /cleanshutdown/, 'EROFS')
    expect(await codeOf(() => testManager({ logDirs: [directory], machine }))).toBe('ERR_IO')
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })

  test.runIf(isRoot)('known fault 149: for want of permission', async () => {
    const [broken, sound] = [await closedDirectory('a-0'), await closedDirectory('b-0')]
    for (const directory of [broken, sound]) chmodSync(directory, 0o700)
    const names = readdirSync(sound, { recursive: true }).map(String)
    for (const name of ['', ...names]) chownSync(join(sound, name), 65_534, 65_534)
    process.seteuid?.(65_534)
    const manager = await testManager({ logDirs: [sound, broken] })
    expect(manager.problems).toMatchObject([{ paths: [broken], error: { code: 'ERR_IO', errno: 'EACCES' } }])
    expect(namesOf(manager)).toEqual(['b-0'])
    await manager.close()
    process.seteuid?.(0)
    expect(namesOf(await testManager({ logDirs: [broken, sound] }))).toEqual(['a-0', 'b-0'])
  })

  test.runIf(isRoot)('known fault 151: a file of another owner is named', async () => {
    const directory = await closedDirectory('a-0', 'b-0')
    const names = readdirSync(directory, { recursive: true }).map(String)
    for (const name of ['', ...names]) chownSync(join(directory, name), 65_534, 65_534)
    const path = join(directory, 'a-0', '00000000000000000000.timeindex')
    chownSync(path, 0, 0)
    process.seteuid?.(65_534)
    const manager = await testManager({ logDirs: [directory] })
    expect(namesOf(manager)).toEqual(['b-0'])
    expect(manager.problems).toMatchObject([{ log: 'a-0', error: { code: 'ERR_IO', errno: 'EACCES', path } }])
  })
})

describe('a log that could not be made', () => {
  test.each(['partition-log.properties', 'partition.metadata', 'leader-epoch-checkpoint'])(
    'for want of %s is not there: not for the next opening either, as somebody else’s',
    async (file) => {
      const directory = await closedDirectory('a-0')
      const machine = new FailingMachine()
      const manager = await testManager({ logDirs: [directory], machine })
      machine.failWhere('write', new RegExp(`orders-0/${file}`), 'ENOSPC')
      expect(await codeOf(() => manager.createLog(named('orders-0'), { retentionMs: 5 }))).toBe(
        'ERR_DISK_FULL',
      )
      expect(existsSync(join(directory, 'orders-0'))).toBe(false)
      machine.mend()
      await manager.close()
      const again = await testManager({ logDirs: [directory] })
      expect(namesOf(again)).toEqual(['a-0'])
      const log = await again.createLog(named('orders-0'), { retentionMs: 5 })
      log.append(numbered(1))
      expect((await log.runRetention()).deletions).toHaveLength(1)
    },
  )
})

describe('a directory that fails while it is used', () => {
  async function twoDirectories() {
    const logDirs = [memoryDir(), memoryDir()]
    const machine = new FailingMachine()
    const offline: Told[] = []
    const { logger, of } = telling()
    const manager = await testManager({ logDirs, machine, offline, logger })
    const [a, b, c] = [
      await manager.createLog(named('a-0')),
      await manager.createLog(named('b-0')),
      await manager.createLog(named('c-0')),
    ]
    const [broken, sound] = [dirname(a.path), dirname(b.path)]
    expect(dirname(c.path)).toBe(broken)
    for (const log of [a, b, c]) await log.append(numbered(3)).durable()
    return { manager, machine, offline, of, a, b, c, broken, sound }
  }

  test('known fault 149: goes offline alone, is told, and the others go on', async () => {
    const { manager, machine, offline, of, a, b, c, broken, sound } = await twoDirectories()
    machine.failWhere('write', new RegExp(`${broken}/recovery`))
    machine.clock.advance(60_000)
    await until(() => offline.length === 3)
    expect([...offline].sort()).toEqual(
      [
        ['ERR_IO', broken],
        ['ERR_IO', 'a-0'],
        ['ERR_IO', 'c-0'],
      ].sort(),
    )
    expect(of('error')).toContainEqual(expect.stringContaining(`${broken} is offline: write failed with EIO`))
    expect([a.state, b.state, c.state]).toEqual(['offline', 'open', 'offline'])
    machine.mend()
    expect(errorFrom(() => a.append(numbered(1))).code).toBe('ERR_OFFLINE')
    expect(await codeOf(() => manager.createLog(named('new-0')))).toBe('ERR_OFFLINE')
    await b.append(numbered(1)).durable()
    machine.clock.advance(60_000)
    await turns(50)
    await manager.checkpoint()
    // Told once, and never written to again.
    expect(offline).toHaveLength(3)
    await manager.close()
    expect([existsSync(join(broken, MARKER)), existsSync(join(sound, MARKER))]).toEqual([false, true])
    const recovered = await testManager({ logDirs: [broken] })
    expect(recovered.logs().map(({ name, recovery }) => [name, recovery?.wasClean])).toEqual([
      ['a-0', false],
      ['c-0', false],
    ])
    expect(namesOf(await testManager({ logDirs: [sound] }))).toEqual(['b-0'])
  })

  test('a checkpoint that one directory cannot write is written in the others all the same', async () => {
    const { manager, machine, broken, sound, offline } = await twoDirectories()
    machine.failWhere('write', new RegExp(`${broken}/recovery`), 'ENOSPC')
    expect(await codeOf(() => manager.checkpoint())).toBe('ERR_DISK_FULL')
    expect(treeOf(sound)['recovery-point-offset-checkpoint']).toBe(
      Buffer.from('0\n1\nb 0 3\n').toString('hex'),
    )
    // The other kinds too: each says something of its own.
    expect(treeOf(broken)['replication-offset-checkpoint']).toBe(
      Buffer.from('0\n2\na 0 3\nc 0 3\n').toString('hex'),
    )
    // No space is no reason to give a directory up.
    expect(offline).toEqual([])
    machine.mend()
    await manager.checkpoint()
  })

  test('known fault 143: one log’s failed write takes that log offline, and no other', async () => {
    const { manager, machine, offline, a, c, broken } = await twoDirectories()
    machine.failNth('append', 1)
    expect(errorFrom(() => a.append(numbered(1))).code).toBe('ERR_IO')
    machine.mend()
    expect(offline).toEqual([['ERR_IO', 'a-0']])
    expect(errorFrom(() => a.append(numbered(1))).code).toBe('ERR_OFFLINE')
    expect(await codeOf(() => a.flush())).toBe('ERR_OFFLINE')
    await c.append(numbered(1)).durable()
    await manager.checkpoint()
    await manager.close()
    expect(existsSync(join(broken, MARKER))).toBe(false)
  })

  test('while a log is being made in it, that log is offline too', async () => {
    const directory = memoryDir()
    const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
    const offline: Told[] = []
    const manager = await testManager({ logDirs: [directory], machine, offline })
    const other = await manager.createLog(named('b-0'))
    await other.append(numbered(1)).durable()
    const hold = machine.hold(/^rename partition\.metadata/)
    const making = manager.createLog(named('a-0'))
    await hold.reached
    machine.fail(/^write recovery-point/, 'EIO')
    expect(await codeOf(() => manager.checkpoint())).toBe('ERR_IO')
    hold.release()
    expect(await codeOf(() => making)).toBe('ERR_OFFLINE')
    expect(manager.logs().map(({ state }) => state)).not.toContain('open')
    await manager.close()
    expect(existsSync(join(directory, MARKER))).toBe(false)
  })

  test.runIf(isRoot)(
    'by being made read-only: what needs new files is refused, and what is open goes on',
    async () => {
      const directory = memoryDir()
      chownSync(directory, 65_534, 65_534)
      process.seteuid?.(65_534)
      const offline: Told[] = []
      const manager = await testManager({ logDirs: [directory], offline })
      const [log, other] = [await manager.createLog(named('a-0')), await manager.createLog(named('b-0'))]
      await log.append(numbered(1)).durable()
      chmodSync(log.path, 0o500)
      expect(errorFrom(() => log.roll())).toMatchObject({
        code: 'ERR_IO',
        errno: 'EACCES',
        path: expect.any(String),
      })
      expect([log.state, offline]).toEqual(['open', []])
      chmodSync(log.path, 0o700)
      await log.append(numbered(1, 1)).durable()
      chmodSync(directory, 0o500)
      expect(await codeOf(() => manager.createLog(named('c-0')))).toBe('ERR_IO')
      await other.append(numbered(1)).durable()
      expect(await rejection(() => manager.checkpoint())).toMatchObject({ code: 'ERR_IO', errno: 'EACCES' })
      expect([log.state, other.state]).toEqual(['offline', 'offline'])
      expect(offline.map(([code]) => code)).toEqual(['ERR_IO', 'ERR_IO', 'ERR_IO'])
      chmodSync(directory, 0o700)
      await manager.close()
      expect(existsSync(join(directory, MARKER))).toBe(false)
      process.seteuid?.(0)
    },
  )

  test('an onOffline that throws changes nothing for anybody else', async () => {
    const directory = memoryDir()
    const machine = new FailingMachine()
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const manager = await testManager({
      logDirs: [directory],
      machine,
      onOffline() {
        throw new Error('host')
      },
    })
    const log = await manager.createLog(named('a-0'))
    await log.append(numbered(1)).durable()
    machine.failWhere('write', /recovery/)
    expect(await rejection(() => manager.checkpoint())).toMatchObject({ code: 'ERR_IO' })
    expect(log.state).toBe('offline')
    expect(warned).toHaveBeenCalledTimes(2)
    warned.mockRestore()
    await manager.close()
  })
})
