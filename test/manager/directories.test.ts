/** Log directories with things in them that are no logs, and with a log twice. */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeOf, rejection } from '../support/errors.js'
import { numbered, values } from '../support/log.js'
import { closedDirectory, named, namesOf, testManager } from '../support/manager.js'
import { telling } from '../support/telling.js'
import { memoryDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const HEX = '0123456789abcdef0123456789abcdef'

describe('what is no log', () => {
  test('known fault 134: foreign directories and files are left alone, and told', async () => {
    const directory = await closedDirectory('orders-0')
    for (const name of ['lost+found', 'data', 'remote-log-index-cache', '.snapshot']) {
      mkdirSync(join(directory, name))
      writeFileSync(join(directory, name, '00000000000000000000.log'), 'x')
    }
    for (const name of ['notes.txt', 'orders-7', 'meta.properties']) writeFileSync(join(directory, name), 'x')
    const before = treeOf(directory)
    const { logger, of } = telling()
    const manager = await testManager({ logDirs: [directory], logger })
    expect([namesOf(manager), manager.problems]).toEqual([['orders-0'], []])
    expect(of('warn')).toEqual([
      `${directory}: left alone, since no log is named so: .snapshot, data, lost+found, remote-log-index-cache`,
    ])
    await manager.close()
    expect(treeOf(directory)).toEqual(before)
  })

  test('links that lead nowhere, or around in a ring, are left alone', async () => {
    const directory = await closedDirectory('orders-0')
    symlinkSync('gone', join(directory, 'nowhere'))
    symlinkSync('ring-0', join(directory, 'ring-0'))
    const manager = await testManager({ logDirs: [directory] })
    expect([namesOf(manager), manager.problems]).toEqual([['orders-0'], []])
  })

  test('known fault 137: only a name that names one partition is a log’s', async () => {
    const directory = await closedDirectory('foo-1')
    const foreign = [
      'foo-delete',
      'foo-0-future',
      'a.b-0-delete',
      '-0',
      'foo-',
      'foo-x',
      'foo',
      'foo-01',
      'foo-+1',
    ]
    const more = [
      'foo-2147483648',
      'x-1.b-0-delete',
      `${'t'.repeat(250)}-0`,
      'fo o-0',
      `foo-${HEX}-delete`,
      '.-0',
    ]
    for (const name of [...foreign, ...more]) mkdirSync(join(directory, name))
    for (const name of ['foo--1', 'a-b.c_d-0', `-${'9'.repeat(3)}-2147483647`])
      mkdirSync(join(directory, name))
    const manager = await testManager({ logDirs: [directory] })
    expect(namesOf(manager).sort()).toEqual(['-999-2147483647', 'a-b.c_d-0', 'foo--1', 'foo-1'])
    expect(manager.getLog({ topic: 'foo-', partition: 1 })?.name).toBe('foo--1')
    expect(manager.getLog({ topic: 'foo', partition: 1 })?.offsets.logEndOffset).toBe(3n)
    await manager.close()
    for (const name of [...foreign, ...more]) expect(readdirSync(join(directory, name)), name).toEqual([])
  })

  test('known fault 140: files of other names in a log’s directory are left alone', async () => {
    const directory = await closedDirectory('orders-0')
    const foreign = [
      'abc.log',
      '.log',
      'x.snapshot',
      '1.log',
      '00000000000000000000.log.bak',
      `${'9'.repeat(20)}.log`,
    ]
    for (const name of foreign) writeFileSync(join(directory, 'orders-0', name), 'x')
    mkdirSync(join(directory, 'orders-0', '00000000000000000009.log'))
    const manager = await testManager({ logDirs: [directory] })
    const log = manager.getLog(named('orders-0')) ?? expect.fail()
    expect(await values(log.read())).toHaveLength(3)
    log.append(numbered(1, 3))
    await manager.close()
    expect(readdirSync(log.path)).toEqual(expect.arrayContaining(foreign))
  })

  test('known fault 118: what deletions left in a log is removed when it is opened', async () => {
    const directory = await closedDirectory('orders-0')
    const left = ['log', 'index', 'timeindex', 'txnindex', 'snapshot'].map(
      (kind) => `00000000000000000000.${kind}.deleted`,
    )
    for (const name of left) writeFileSync(join(directory, 'orders-0', name), 'x')
    writeFileSync(join(directory, 'orders-0', '00000000000000000000-0000000001.checkpoint.deleted'), 'x')
    await testManager({ logDirs: [directory] })
    expect(readdirSync(join(directory, 'orders-0')).filter((name) => name.endsWith('.deleted'))).toEqual([
      '00000000000000000000-0000000001.checkpoint.deleted',
    ])
  })

  test.each([
    ['', 1],
    ['version: 0', 2],
    ['version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA', 1],
    ['version: 0\ntopic_id: AAAA', 2],
  ])(
    'known fault 67: partition.metadata that holds %j is named where it is needed',
    async (content, line) => {
      const directory = memoryDir()
      const manager = await testManager({ logDirs: [directory] })
      mkdirSync(join(directory, 'orders-0'))
      const path = join(directory, 'orders-0', 'partition.metadata')
      writeFileSync(path, content)
      const error = await rejection(() => manager.createLog(named('orders-0')))
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', path })
      expect(error.message).toContain(`line ${line}:`)
      // A log that is there does without.
      const closed = await closedDirectory('orders-0')
      writeFileSync(join(closed, 'orders-0', 'partition.metadata'), content)
      expect(namesOf(await testManager({ logDirs: [closed] }))).toEqual(['orders-0'])
    },
  )
})

describe('a log that lies in two directories', () => {
  test('is not opened and stands in problems with both paths; the rest is opened', async () => {
    const [first, second] = [await closedDirectory('a-0', 'twice-1'), await closedDirectory('b-0')]
    cpSync(join(first, 'twice-1'), join(second, 'twice-1'), { recursive: true })
    const before = [treeOf(join(first, 'twice-1')), treeOf(join(second, 'twice-1'))]
    const logDirs = [first, second]
    const { logger, of } = telling()
    const manager = await testManager({ logDirs, logger, config: { retentionMs: 0 } })
    expect(namesOf(manager)).toEqual(['a-0', 'b-0'])
    const paths = logDirs.map((directory) => join(directory, 'twice-1'))
    expect(manager.problems).toMatchObject([{ log: 'twice-1', paths, error: { code: 'ERR_DUPLICATE_LOG' } }])
    for (const path of paths) expect(of('error')[0]).toContain(path)
    expect(await codeOf(() => manager.createLog(named('twice-1')))).toBe('ERR_DUPLICATE_LOG')
    expect(await manager.deleteLog(named('twice-1'))).toBe(false)
    await manager.createLog(named('new-0'))
    await manager.runRetention()
    await manager.close()
    expect([treeOf(join(first, 'twice-1')), treeOf(join(second, 'twice-1'))]).toEqual(before)
    // As the error says: one is moved away, and all is well.
    rmSync(join(second, 'twice-1'), { recursive: true })
    const again = await testManager({ logDirs })
    expect([namesOf(again), again.problems]).toEqual([['a-0', 'b-0', 'new-0', 'twice-1'], []])
  })
})
