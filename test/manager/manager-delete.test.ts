/** Deleting logs: at once for who asks, on the disk a while later. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseMarkedName } from '../../lib/manager/partition-name.js'
import { codeOf, errorFrom } from '../support/errors.js'
import { FailingMachine } from '../support/failing-machine.js'
import { numbered, values } from '../support/log.js'
import { testMachine } from '../support/machine.js'
import { named, namesOf, type Told, testManager } from '../support/manager.js'
import { swiftBackend } from '../support/swift-backend.js'
import { telling } from '../support/telling.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'

const HEX = '0123456789abcdef0123456789abcdef'
const orders = named('orders-0')

/** A manager whose time the test moves, with one log of three records. */
async function withLog(config = {}) {
  const directory = memoryDir()
  const machine = testMachine({ backend: swiftBackend() })
  const { logger, of, lines } = telling()
  const manager = await testManager({ logDirs: [directory], machine, logger, config })
  const log = await manager.createLog(orders)
  log.append(numbered(3))
  return { directory, clock: machine.clock, manager, log, of, lines }
}

/** Directories waiting for their removal. */
function waiting(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('-delete'))
}

describe('deleteLog', () => {
  test('of a log that its user closed takes it out too', async () => {
    const { directory, manager, log } = await withLog()
    await log.close()
    expect(await manager.deleteLog(orders)).toBe(true)
    expect(existsSync(log.path)).toBe(false)
    expect(waiting(directory)).toHaveLength(1)
    expect(await manager.deleteLog(orders)).toBe(false)
  })

  test('takes the log out at once, and its files once the delay is over', async () => {
    const { directory, clock, manager, log, of } = await withLog({ fileDeleteDelayMs: 60_000 })
    expect(await manager.deleteLog(orders)).toBe(true)
    expect(manager.getLog(orders)).toBeUndefined()
    expect(log.state).toBe('closed')
    expect(errorFrom(() => log.append(numbered(1))).code).toBe('ERR_CLOSED')
    expect(existsSync(log.path)).toBe(false)
    const [name = ''] = waiting(directory)
    expect(name).toMatch(/^orders-0\.[0-9a-f]{32}-delete$/)
    expect(readdirSync(join(directory, name))).toContain('00000000000000000000.log')
    expect(of('info')).toContain(
      `Log for partition orders-0 is renamed to ${join(directory, name)} and is scheduled for deletion`,
    )
    clock.advance(59_999)
    await turns(20)
    expect(waiting(directory)).toEqual([name])
    clock.advance(1)
    await until(() => waiting(directory).length === 0)
    expect(await manager.deleteLog(orders)).toBe(false)
    expect(await manager.deleteLog(named('never-0'))).toBe(false)
  })

  test('removes one directory at a time, and begins with no other once it is closed', async () => {
    const directory = memoryDir()
    const names = ['a', 'b', 'c'].map((topic) => `${topic}-0.${HEX}-delete`)
    for (const name of names) mkdirSync(join(directory, name))
    const base = testMachine({ backend: swiftBackend() })
    const begun: string[] = []
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const removeDirectory = async (path: string) => {
      begun.push(path)
      await held
      await base.files.removeDirectory(path)
    }
    const machine = { ...base, files: { ...base.files, removeDirectory } }
    const manager = await testManager({ logDirs: [directory], machine })
    machine.clock.advance(0)
    await turns(20)
    expect(begun).toHaveLength(1)
    const closing = manager.close()
    release()
    await closing
    expect(begun).toHaveLength(1)
    expect(waiting(directory)).toHaveLength(2)
    const again = testMachine({ backend: swiftBackend() })
    await testManager({ logDirs: [directory], machine: again })
    again.clock.advance(0)
    await until(() => waiting(directory).length === 0)
  })

  test('known fault 118: of a log whose directory somebody removed by hand harms no other', async () => {
    const { directory, manager, log, of } = await withLog()
    const other = await manager.createLog(named('other-0'))
    await manager.checkpoint()
    rmSync(log.path, { recursive: true })
    expect(await manager.deleteLog(orders)).toBe(true)
    expect([namesOf(manager), other.state, manager.stats().bytesPendingDeletion]).toEqual([
      ['other-0'],
      'open',
      0,
    ])
    expect(of('warn')).toEqual([expect.stringContaining(log.path)])
    const lines = readFileSync(join(directory, 'recovery-point-offset-checkpoint'), 'latin1')
    expect(lines).toBe('0\n1\nother 0 0\n')
  })

  test('leaves no line in any checkpoint', async () => {
    const { directory, manager, log } = await withLog()
    await manager.createLog(named('other-0'))
    await log.deleteRecordsBefore(2)
    await manager.checkpoint()
    await manager.deleteLog(orders)
    for (const name of ['recovery-point', 'log-start', 'replication']) {
      expect(readFileSync(join(directory, `${name}-offset-checkpoint`), 'latin1'), name).not.toContain(
        'orders',
      )
    }
    await manager.checkpoint()
    await manager.close()
    for (const name of ['recovery-point', 'replication']) {
      const lines = readFileSync(join(directory, `${name}-offset-checkpoint`), 'latin1')
      expect(lines, name).toBe('0\n1\nother 0 0\n')
    }
  })

  test('known fault 103: a log made anew by that name begins anew', async () => {
    const { directory, manager, log } = await withLog()
    await log.deleteRecordsBefore(2)
    const metadata = readFileSync(join(log.path, 'partition.metadata'), 'latin1')
    await manager.deleteLog(orders)
    const again = await manager.createLog(orders)
    expect(again.offsets).toMatchObject({ logStartOffset: 0n, logEndOffset: 0n })
    expect(readFileSync(join(again.path, 'partition.metadata'), 'latin1')).not.toBe(metadata)
    expect(again.append(numbered(1)).baseOffset).toBe(0n)
    expect(errorFrom(() => log.append(numbered(1))).code).toBe('ERR_CLOSED')
    expect(await manager.deleteLog(orders)).toBe(true)
    expect(waiting(directory)).toHaveLength(2)
  })

  test('known fault 103: also where a stop came before its lines were taken out', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    for (const name of ['recovery-point', 'log-start', 'replication']) {
      writeFileSync(join(directory, `${name}-offset-checkpoint`), '0\n2\norders 0 40\nother 0 7\n')
    }
    await manager.close()
    const again = await testManager({ logDirs: [directory] })
    const log = await again.createLog(orders)
    expect(log.offsets).toMatchObject({ logStartOffset: 0n, highWatermark: 0n, logEndOffset: 0n })
    expect(readFileSync(join(directory, 'log-start-offset-checkpoint'), 'latin1')).toBe('0\n1\nother 0 7\n')
  })

  test('known fault 136: of a topic as long as can be', async () => {
    const { directory, clock, manager } = await withLog()
    const topics = [249, 240, 210, 209].map((length) => ({ topic: 't'.repeat(length), partition: 0 }))
    for (const topic of topics) {
      await manager.createLog(topic)
      expect(await manager.deleteLog(topic)).toBe(true)
    }
    const names = waiting(directory)
    expect(names).toHaveLength(4)
    for (const name of names) {
      expect(name.length).toBeLessThanOrEqual(255)
      expect(parseMarkedName(name)).toBe('delete')
    }
    clock.advance(60_000)
    await until(() => waiting(directory).length === 0)
  })

  test('known fault 122: what is asked of the deleted log later is answered or refused, never a crash', async () => {
    const { manager, log } = await withLog()
    await manager.deleteLog(orders)
    expect(log.offsets).toMatchObject({ logStartOffset: 0n, logEndOffset: 3n })
    expect([log.name, log.state, log.leaderEpochs.length]).toEqual(['orders-0', 'closed', 1])
    JSON.stringify([log.offsets, log.config])
    for (const call of [
      () => log.fetch(0),
      async () => log.fetchSync(0),
      () => log.flush(),
      async () => log.roll(),
      async () => log.locate(0),
      () => log.offsetForTimestamp(0),
      () => log.truncateTo(0),
      () => log.deleteRecordsBefore(1),
      () => log.runRetention(),
      async () => log.segments,
    ]) {
      expect(await codeOf(call)).toBe('ERR_CLOSED')
    }
    await log.close()
    expect(namesOf(manager)).toEqual([])
  })

  test('of a log that is offline', async () => {
    const directory = memoryDir()
    const machine = new FailingMachine()
    const manager = await testManager({ logDirs: [directory], machine })
    const log = await manager.createLog(orders)
    machine.failNth('append', 1)
    expect(errorFrom(() => log.append(numbered(1))).code).toBe('ERR_IO')
    machine.mend()
    expect(await codeOf(() => manager.createLog(orders).then((same) => same.fetch(0)))).toBe('ERR_OFFLINE')
    expect(await manager.deleteLog(orders)).toBe(true)
    const again = await manager.createLog(orders)
    again.append(numbered(1))
    await manager.close()
    // What was unclean is gone, what is there is clean.
    expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(true)
  })
})

describe('what a stop leaves of a deletion', () => {
  test('is finished by the next start', async () => {
    const { directory, manager } = await withLog()
    await manager.deleteLog(orders)
    await manager.close()
    expect(waiting(directory)).toHaveLength(1)
    const machine = testMachine({ backend: swiftBackend() })
    const again = await testManager({ logDirs: [directory], machine })
    expect([namesOf(again), again.problems]).toEqual([[], []])
    machine.clock.advance(0)
    await until(() => waiting(directory).length === 0)
  })

  test('known fault 124: one that cannot be removed is told, the others go, and it is tried again', async () => {
    const directory = memoryDir()
    for (const topic of ['a', 'b', 'c']) {
      mkdirSync(join(directory, `${topic}-0.${HEX}-delete`))
      writeFileSync(join(directory, `${topic}-0.${HEX}-delete`, 'x'), 'x')
    }
    const machine = new FailingMachine()
    machine.failWhere('removeDirectory', /\/b-0\./)
    const { logger, of } = telling()
    const manager = await testManager({ logDirs: [directory], machine, logger })
    machine.clock.advance(0)
    await until(() => waiting(directory).length === 1 && of('warn').length === 1)
    expect(of('warn')[0]).toContain(`could not delete ${join(directory, `b-0.${HEX}-delete`)}`)
    await manager.close()
    machine.mend()
    await testManager({ logDirs: [directory], machine })
    machine.clock.advance(0)
    await until(() => waiting(directory).length === 0)
  })

  test('a link that bears such a name is removed, and not what it leads to', async () => {
    const [directory, elsewhere] = [memoryDir(), memoryDir()]
    writeFileSync(join(elsewhere, 'precious'), 'x')
    symlinkSync(elsewhere, join(directory, `a-0.${HEX}-delete`))
    const machine = testMachine({ backend: swiftBackend() })
    await testManager({ logDirs: [directory], machine })
    machine.clock.advance(0)
    await until(() => waiting(directory).length === 0)
    expect(readdirSync(elsewhere)).toEqual(['precious'])
  })

  test('closing waits for a removal under way, and begins no other', async () => {
    const { directory, clock, manager } = await withLog({ fileDeleteDelayMs: 100 })
    await manager.createLog(named('b-0'))
    await manager.deleteLog(orders)
    clock.advance(50)
    await manager.deleteLog(named('b-0'))
    clock.advance(50)
    await manager.close()
    expect(waiting(directory).map((name) => name.split('.')[0])).toEqual(['b-0'])
  })
})

describe('a deletion that fails', () => {
  test('at the rename takes the directory offline, and keeps the records', async () => {
    const directory = memoryDir()
    const machine = new FailingMachine()
    const offline: Told[] = []
    const manager = await testManager({ logDirs: [directory], machine, offline })
    const log = await manager.createLog(orders)
    const other = await manager.createLog(named('other-0'))
    await log.append(numbered(3)).durable()
    machine.failWhere('rename', /orders-0$/)
    expect(await codeOf(() => manager.deleteLog(orders))).toBe('ERR_IO')
    machine.mend()
    expect(other.state).toBe('offline')
    expect(offline).toEqual([
      ['ERR_IO', 'other-0'],
      ['ERR_IO', directory],
    ])
    expect(await codeOf(() => manager.createLog(orders))).toBe('ERR_OFFLINE')
    expect(await codeOf(() => manager.deleteLog(named('other-0')))).toBe('ERR_OFFLINE')
    await manager.close()
    expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(false)
    expect(readFileSync(join(directory, 'orders-0', '00000000000000000000.log')).includes('v2')).toBe(true)
  })

  test('for want of space to write the checkpoints is one all the same: that is what makes space', async () => {
    const directory = memoryDir()
    const machine = new FailingMachine()
    const offline: Told[] = []
    const { logger, of } = telling()
    const manager = await testManager({ logDirs: [directory], machine, offline, logger })
    const log = await manager.createLog(orders)
    log.append(numbered(3))
    await log.deleteRecordsBefore(2)
    machine.failWhere('write', /checkpoint/, 'ENOSPC')
    expect(await manager.deleteLog(orders)).toBe(true)
    expect(of('warn')).toContainEqual(expect.stringContaining('orders-0 stays in the checkpoints'))
    machine.clock.advance(60_000)
    await until(() => waiting(directory).length === 0)
    // It cannot be made anew yet, and a try leaves nothing that would count later.
    expect(await codeOf(() => manager.createLog(orders))).toBe('ERR_DISK_FULL')
    machine.mend()
    const again = await manager.createLog(orders)
    expect(again.offsets.logStartOffset).toBe(0n)
    expect(offline).toEqual([])
    await manager.close()
    expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(true)
  })
})

describe('directories set aside', () => {
  const aside = [`orders-1.${HEX}-future`, `orders-2.${HEX}-stray`]

  test('are nobody’s logs, and stay as they are', async () => {
    const { directory, clock, manager } = await withLog()
    await manager.close()
    for (const name of aside) {
      mkdirSync(join(directory, name))
      writeFileSync(join(directory, name, '00000000000000000000.log'), 'not even a log')
    }
    const again = await testManager({ logDirs: [directory], config: { retentionMs: 0 } })
    expect([namesOf(again), again.problems]).toEqual([['orders-0'], []])
    await again.runRetention()
    await again.createLog(named('orders-1'))
    await again.deleteLog(named('orders-1'))
    clock.advance(1e9)
    await again.close()
    for (const name of aside) expect(readdirSync(join(directory, name))).toEqual(['00000000000000000000.log'])
  })

  test('known fault 139: no log is ever disowned, whatever topic id it bears', async () => {
    const { directory, manager } = await withLog()
    await manager.close()
    const other = 'version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA'
    writeFileSync(join(directory, 'orders-0', 'partition.metadata'), other)
    const again = await testManager({ logDirs: [directory] })
    expect(await values((again.getLog(orders) ?? expect.fail()).read())).toHaveLength(3)
    expect(readFileSync(join(directory, 'orders-0', 'partition.metadata'), 'latin1')).toBe(other)
  })
})
