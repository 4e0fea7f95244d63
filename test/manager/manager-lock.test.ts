/** Known fault 152: one holder of a log directory, whoever asks and however. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLog } from '../../lib/manager/open-log.js'
import { startChild } from '../support/child.js'
import { codeOf, rejection } from '../support/errors.js'
import { numbered, testLog, values } from '../support/log.js'
import { named, testManager } from '../support/manager.js'
import { memoryDir } from '../support/temp-dir.js'
import { until } from '../support/turns.js'

const MARKER = '.kafka_cleanshutdown'
const library = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href
const here = { code: 'ERR_LOCKED', pid: process.pid }

describe('in this process', () => {
  test('known fault 152: a second manager is shut out, by any path, until the first is closed', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const link = join(memoryDir(), 'link')
    symlinkSync(directory, link)
    for (const path of [directory, `${directory}/.`, link]) {
      expect(await rejection(() => testManager({ logDirs: [path] })), path).toMatchObject(here)
    }
    await manager.createLog(named('orders-0'))
    await manager.close()
    await (await testManager({ logDirs: [link] })).close()
  })

  test('a log of a manager’s directory opens for reading alone', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    const log = await manager.createLog(named('orders-0'))
    log.append(numbered(2))
    for (const name of ['orders-0', 'new-0']) {
      expect(await rejection(() => openLog(join(directory, name)))).toMatchObject(here)
    }
    expect(existsSync(join(directory, 'new-0'))).toBe(false)
    const reader = await testLog({ path: log.path, readOnly: true })
    expect(await values(reader.read())).toEqual(['v0', 'v1'])
    log.append(numbered(1, 2))
    await manager.close()
    expect(await values((await testLog({ path: log.path })).read())).toHaveLength(3)
  })

  test('a directory in which a single log is open is no manager’s', async () => {
    const log = await testLog()
    const directory = resolve(log.path, '..')
    expect(await rejection(() => testManager({ logDirs: [directory] }))).toMatchObject(here)
    log.append(numbered(1))
    await log.close()
    const manager = await testManager({ logDirs: [directory] })
    expect(manager.getLog(named('orders-0'))?.offsets.logEndOffset).toBe(1n)
  })

  test('of many managers at once, one gets it', async () => {
    const directory = memoryDir()
    const opened = await Promise.allSettled(
      Array.from({ length: 8 }, () => testManager({ logDirs: [directory] })),
    )
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of opened) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(here)
    }
  })

  test('an open waits for the close that is under way', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    ;(await manager.createLog(named('orders-0'))).append(numbered(3))
    const closing = manager.close()
    let again: LogManager | undefined
    await until(async () => {
      again = await testManager({ logDirs: [directory] }).catch((error) => {
        expect(error.code).toBe('ERR_LOCKED')
        return undefined
      })
      return again !== undefined
    })
    await closing
    expect(again?.getLog(named('orders-0'))?.offsets.logEndOffset).toBe(3n)
  })

  test('a directory that is locked ends the opening; the others are given back as they were', async () => {
    const [free, held] = [memoryDir(), memoryDir()]
    await (await testManager({ logDirs: [free] })).close()
    const holder = await testManager({ logDirs: [held] })
    expect(await codeOf(() => testManager({ logDirs: [free, held] }))).toBe('ERR_LOCKED')
    expect(existsSync(join(free, MARKER))).toBe(true)
    await holder.close()
    await testManager({ logDirs: [free, held] })
  })
})

describe('closing and opening at the same time', () => {
  test('follow each other', async () => {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    await manager.createLog(named('orders-0'))
    const [, again] = await Promise.all([manager.close(), testManager({ logDirs: [directory] })])
    expect(again.logs()).toHaveLength(1)
  })
})

describe('another process', () => {
  test('known fault 152: that has the directory is named', async () => {
    const directory = memoryDir()
    const child = startChild(`
      import { openLogManager } from ${JSON.stringify(library)}
      const manager = await openLogManager({ logDirs: [${JSON.stringify(directory)}], backend: backend.name })
      const log = await manager.createLog({ topic: 'orders', partition: 0 })
      log.append([{ value: 'theirs' }])
      process.stdin.once('end', () => manager.close()).resume()
      say('open')`)
    expect(await child.nextLine()).toBe('open')
    const there = { code: 'ERR_LOCKED', pid: child.process.pid }
    expect(await rejection(() => testManager({ logDirs: [directory] }))).toMatchObject(there)
    expect(await rejection(() => openLog(join(directory, 'orders-0')))).toMatchObject(there)
    child.process.stdin?.end()
    expect(await child.exited).toBe(0)
    const manager = await testManager({ logDirs: [directory] })
    expect(await values(manager.getLog(named('orders-0'))?.read() as never)).toEqual(['theirs'])
  })

  test('that asks for a directory held here is refused, and told who has it', async () => {
    const directory = memoryDir()
    await testManager({ logDirs: [directory] })
    const child = startChild(`
      import { openLog, openLogManager } from ${JSON.stringify(library)}
      const directory = ${JSON.stringify(directory)}
      const told = (error) => say(error.code + ' ' + error.pid)
      await openLogManager({ logDirs: [directory], backend: backend.name }).catch(told)
      await openLog(directory + '/orders-0', { backend: backend.name }).catch(told)`)
    expect(await child.nextLine()).toBe(`ERR_LOCKED ${process.pid}`)
    expect(await child.nextLine()).toBe(`ERR_LOCKED ${process.pid}`)
  })

  test('known fault 152: a `.lock` that nobody holds is no lock', async () => {
    const directory = memoryDir()
    writeFileSync(join(directory, '.lock'), '')
    await testManager({ logDirs: [directory] })
  })

  // Java's file lock is lockf, for which Node has no call; Python does the same.
  const canActAsBroker =
    process.platform === 'linux' && spawnSync('python3', ['-c', 'import fcntl']).status === 0

  test.skipIf(!canActAsBroker)(
    'a broker that runs there is named, and its directory left alone',
    async () => {
      const directory = memoryDir()
      mkdirSync(join(directory, 'orders-0'))
      const path = join(directory, '.lock')
      const code =
        'import fcntl, sys; f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print("held", flush=True); sys.stdin.read()'
      const broker = spawn('python3', ['-c', code, path], { stdio: ['pipe', 'pipe', 'inherit'] })
      await once(broker.stdout, 'data')
      const there = { code: 'ERR_LOCKED', pid: broker.pid }
      expect(await rejection(() => testManager({ logDirs: [directory] }))).toMatchObject(there)
      expect(existsSync(join(directory, MARKER))).toBe(false)
      const closed = once(broker, 'close')
      broker.stdin.end()
      await closed
      await testManager({ logDirs: [directory] })
    },
  )
})
