/** Names of files and of partition directories: what is taken, and what is not. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT64_MAX } from '../../lib/base/int64.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { isTopicName, parsePartitionName, partitionName } from '../../lib/manager/partition-name.js'
import { fileName, parseFileName } from '../../lib/segment/names.js'
import { codeOf } from '../support/errors.js'
import { testMachine } from '../support/machine.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'

describe('file names', () => {
  it('come back for every offset and kind, and sort as the offsets do', () => {
    const offset = fc.bigInt(0n, INT64_MAX)
    const kind = fc.constantFrom('log', 'index', 'timeindex', 'txnindex', 'snapshot' as const)
    fc.assert(
      fc.property(offset, offset, kind, (a, b, suffix) => {
        expect(parseFileName(fileName(a, suffix))).toEqual({ baseOffset: a, kind: suffix })
        expect(fileName(a, suffix) < fileName(b, suffix)).toBe(a < b)
        const transition = { baseOffset: a, kind: suffix, transition: 'deleted' }
        expect(parseFileName(`${fileName(a, suffix)}.deleted`)).toEqual(transition)
      }),
      fcOptions(200),
    )
  })

  it.each([
    'abc.log',
    '.log',
    'x.snapshot',
    '0.log',
    '000000000000000000000.log',
    '0000000000000000000a.log',
    '-0000000000000000001.log',
    '09223372036854775808.log',
    '00000000000000000000',
    '00000000000000000000.LOG',
    '00000000000000000000.log.tmp',
    '00000000000000000000.log.deleted.deleted',
    ' 00000000000000000000.log',
  ])('%j is none', (name) => {
    expect(parseFileName(name)).toBeUndefined()
  })

  it('that are none do no harm in a log, and stay', async () => {
    const parent = tempDir()
    const path = join(parent, 'log-0')
    mkdirSync(path)
    writeFileSync(join(parent, '.kafka_cleanshutdown'), '')
    const foreign = ['abc.log', '.log', 'x.snapshot', 'remote-log-index-cache']
    for (const name of foreign) writeFileSync(join(path, name), 'foreign')
    mkdirSync(join(path, '00000000000000000007.log'))
    const log = await openLogOn(testMachine(), path)
    log.append([{ value: 'v' }])
    await log.close()
    expect(readdirSync(path)).toEqual(expect.arrayContaining(foreign))
  })

  it('of deleted files, and of a cleaning that was not finished, are removed when the log opens', async () => {
    const path = join(tempDir(), 'log-0')
    const log = await openLogOn(testMachine(), path)
    await log.close()
    const deleted = '00000000000000000000.log.deleted'
    writeFileSync(join(path, deleted), '')
    await (await openLogOn(testMachine(), path)).close()
    expect(readdirSync(path)).not.toContain(deleted)
    const cleaned = '00000000000000000000.log.cleaned'
    writeFileSync(join(path, cleaned), '')
    await (await openLogOn(testMachine(), path)).close()
    expect(readdirSync(path)).not.toContain(cleaned)
  })
})

describe('partition names', () => {
  it.each<[string, string, number]>([
    ['foo-0', 'foo', 0],
    ['foo--1', 'foo-', 1],
    ['a.b_c-D-12', 'a.b_c-D', 12],
    ['foo-2147483647', 'foo', 2147483647],
    ['--0', '-', 0],
    ['...-0', '...', 0],
    [`${'t'.repeat(249)}-0`, 't'.repeat(249), 0],
  ])('%s is taken', (name, topic, partition) => {
    expect(parsePartitionName(name)).toEqual({ topic, partition })
    expect(partitionName({ topic, partition })).toBe(name)
  })

  it.each([
    'foo',
    'foo-',
    '-0',
    'foo-x',
    'foo-01',
    'foo-+1',
    'foo--',
    'foo- 1',
    'foo-1 ',
    'foo-1.5',
    'foo-2147483648',
    'foo-99999999999',
    'foo-delete',
    'foo-0-future',
    'a.b-0-delete',
    'x-1.b-0-delete',
    `foo-0.${'a'.repeat(32)}-delete`,
    `foo-0.${'a'.repeat(32)}-future`,
    `foo-0.${'a'.repeat(32)}-stray`,
    '.-0',
    '..-0',
    'fo/o-0',
    'foö-0',
    'foo\0-0',
    'lost+found',
    '',
    `${'t'.repeat(250)}-0`,
  ])('%j is refused', (name) => {
    expect(parsePartitionName(name)).toBeUndefined()
  })

  it('of every topic that Kafka takes come back', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9._-]{1,40}$/), fc.nat(2147483647), (topic, partition) => {
        const expected = isTopicName(topic) ? { topic, partition } : undefined
        expect(parsePartitionName(`${topic}-${partition}`)).toEqual(expected)
      }),
      fcOptions(200),
    )
  })

  it('decide which directory can be opened as a log', async () => {
    const parent = tempDir()
    for (const name of ['foo', 'foo-01', 'foo-0-future', 'lost+found']) {
      expect(await codeOf(() => openLogOn(testMachine(), join(parent, name)))).toBe('ERR_NOT_A_LOG')
    }
    expect(readdirSync(parent)).toEqual([])
  })
})
