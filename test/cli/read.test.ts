/** `plog read`, `ls`, `offsets` and `lookup`, on logs of our own and of a broker. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog } from '../support/cli.js'
import { tempDir } from '../support/temp-dir.js'

const broker = resolve(import.meta.dirname, '../golden/broker-4.4.0')
const directory = tempDir()
const path = join(directory, 'orders-3')

/** Names of tests must not hold paths of this run. */
const PLACES: Readonly<Record<string, string>> = {
  LOG: path,
  DIRECTORY: directory,
  NOWHERE: join(directory, 'nowhere-0'),
  EMPTY: tempDir(),
}

const text = async (...args: string[]) => (await plog(args)).stdout.toString()

beforeAll(async () => {
  const log = await openLog(path)
  log.append([
    { key: 'a', value: 'one', timestamp: 1000 },
    {
      key: null,
      value: null,
      timestamp: 2000,
      headers: [
        { key: 'h', value: 'x' },
        { key: 'i', value: null },
      ],
    },
  ])
  log.append([{ key: 'c', value: Buffer.of(0xff, 0x0a, 0x00), timestamp: 3000 }])
  log.roll()
  log.append([{ key: 'd', value: 'four', timestamp: 2500 }])
  await log.close()
})

describe('read', () => {
  it('prints values as they are', async () => {
    const expected = Buffer.concat([
      Buffer.from('one\nnull\n'),
      Buffer.of(0xff, 0x0a, 0x00),
      Buffer.from('\nfour\n'),
    ])
    const { exitCode, stdout, stderr } = await plog(['read', path])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.equals(expected)).toBe(true)
  })

  it('prints by a format', async () => {
    expect(
      await text('read', path, '--format', '%p/%o\\t%t %k=%v [%h] 100%% \\\\', '--max-records', '2'),
    ).toBe('3/0\t1000 a=one [NO_HEADERS] 100% \\\n3/1\t2000 null=null [h:x,i:null] 100% \\\n')
    for (const format of ['%x', '%', '\\q', 'a\\']) {
      const { exitCode, stderr } = await plog(['read', path, '--format', format])
      expect([format, exitCode]).toEqual([format, 2])
      expect(stderr).toContain('stands for nothing')
    }
  })

  it('prints records as JSON lines', async () => {
    expect(jsonLines(await plog(['read', path, '--json', '--from', '1', '--max-records', '2']))).toEqual([
      {
        offset: '1',
        timestamp: '2000',
        timestampType: 'CreateTime',
        key: null,
        value: null,
        headers: [
          { key: 'h', value: 'x' },
          { key: 'i', value: null },
        ],
      },
      {
        offset: '2',
        timestamp: '3000',
        timestampType: 'CreateTime',
        key: 'c',
        value: { base64: '/woA' },
        headers: [],
      },
    ])
  })

  it('begins where it is told', async () => {
    const from = async (...flags: string[]) => text('read', path, '--format', '%o', ...flags)
    expect(await from('--from', '3')).toBe('3\n')
    expect(await from('--from', 'earliest', '--max-records', '1')).toBe('0\n')
    expect(await from('--from', 'latest')).toBe('')
    expect(await from('--from', '4')).toBe('')
    expect(await from('--from-time', '2001', '--max-records', '1')).toBe('2\n')
    expect(await from('--from-time', '1970-01-01T00:00:02Z', '--max-records', '1')).toBe('1\n')
    expect(await from('--from-time', '3001')).toBe('')
    expect(await from('--max-records', '0')).toBe('')
  })

  it('exits with 1 for an offset that is not there', async () => {
    const { exitCode, stdout, stderr } = await plog(['read', path, '--from', '5', '--json'])
    expect([exitCode, stdout.length]).toEqual([1, 0])
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'ERR_OFFSET_OUT_OF_RANGE', offset: '5', logStartOffset: '0', logEndOffset: '4' },
    })
    expect((await plog(['read', join(broker, 'deleted-0'), '--from', '6'])).exitCode).toBe(1)
  })

  it.each([
    [['read']],
    [['read', 'LOG', '--from', 'x']],
    [['read', 'LOG', '--from', '-1']],
    [['read', 'LOG', '--from', '1', '--from-time', '2']],
    [['read', 'LOG', '--from-time', 'soon']],
    [['read', 'LOG', '--max-records', '1.5']],
    [['read', 'LOG', '--json', '--format', '%v']],
    [['read', 'LOG', '--isolation', 'serial']],
    [['read', 'LOG', '--backend', 'other']],
    [['read', 'NOWHERE']],
    [['read', 'DIRECTORY']],
    [['lookup', 'LOG']],
    [['lookup', 'LOG', 'x']],
    [['offsets', 'LOG', '--time', 'noon']],
    [['ls', 'EMPTY']],
    [['ls']],
    [['nonsense']],
    [[]],
  ])('exits with 2 for wrong usage: %j', async (args) => {
    const { exitCode, stdout, stderr } = await plog(args.map((text) => PLACES[text] ?? text))
    expect([exitCode, stdout.length]).toEqual([2, 0])
    const json = args.includes('--json')
    expect(stderr).toMatch(
      args.length === 0 ? /^Usage: plog/ : json ? /^{"error":{"code":"ERR_USAGE"/ : /^plog: ERR_/,
    )
    expect(stderr).not.toMatch(/^ +at /m)
  })

  it('reads what a broker wrote: all codecs', async () => {
    const lines = jsonLines(await plog(['read', join(broker, 'codecs-0'), '--json']))
    expect(lines).toHaveLength(46)
    expect(lines[4]).toMatchObject({ offset: '4', key: expect.any(String) })
  })
})

describe('help', () => {
  it.each(['append', 'read', 'lookup', 'ls', 'offsets', 'dump'])('of %s is on stdout', async (command) => {
    const { exitCode, stdout, stderr } = await plog([command, '--help'])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout.toString()).toMatch(new RegExp(`^Usage: plog ${command} `))
    for (const flag of ['--json', '--backend', '--help']) expect(stdout.toString()).toContain(flag)
  })
})

describe('lookup', () => {
  it('names each segment that it searched', async () => {
    expect(await text('lookup', path, '2', '1', '3', '4')).toBe(
      `index file: 00000000000000000000.index, log file: 00000000000000000000.log
index entries: 0
target 2 -> index says (offset 0, position 0) -> batch at position 87 (baseOffset 2, size 72)
target 1 -> index says (offset 0, position 0) -> batch at position 0 (baseOffset 0, size 87)
index file: 00000000000000000003.index, log file: 00000000000000000003.log
index entries: 0
target 3 -> index says (offset 3, position 0) -> batch at position 0 (baseOffset 3, size 73)
target 4 -> index says (offset 3, position 0) -> no batch (the end of the log)
`,
    )
  })

  it('goes on over gaps of compaction, and gives JSON', async () => {
    expect(jsonLines(await plog(['lookup', join(broker, 'compacted-0'), '4', '--json']))).toEqual([
      {
        target: '4',
        file: '00000000000000000000.log',
        indexEntry: { offset: '0', position: 0 },
        batch: { position: 71, baseOffset: '6', lastOffset: '7', sizeInBytes: 72 },
      },
    ])
  })

  it('prints what it finds before an offset that is not there', async () => {
    const { exitCode, stdout, stderr } = await plog(['lookup', path, '3', '99'])
    expect(exitCode).toBe(1)
    expect(stdout.toString()).toContain('target 3 -> ')
    expect(stderr).toMatch(/^plog: ERR_OFFSET_OUT_OF_RANGE: .*99\n$/)
  })
})

describe('ls', () => {
  it('lists segments', async () => {
    expect(await text('ls', path)).toBe(
      `base offset  next offset  size  index entries  time index entries            last timestamp  start offset
          0            3   159              0                   1  1970-01-01T00:00:03.000Z             0
          3            4    73              0                   1  1970-01-01T00:00:02.500Z             3  active
`,
    )
    expect(jsonLines(await plog(['ls', path, '--json']))[1]).toMatchObject({ baseOffset: '3', active: true })
  })

  it('lists the logs of a directory', async () => {
    const lines = (await text('ls', broker)).split('\n')
    expect(lines[0]).toBe('log              segments    size  start offset  end offset  policy')
    expect(lines).toContain('deleted-0               1     408             7          15  -')
    expect(jsonLines(await plog(['ls', '--json', directory]))).toEqual([
      {
        name: 'orders-3',
        kind: 'log',
        segments: 2,
        sizeInBytes: 232,
        logStartOffset: '0',
        logEndOffset: '4',
        cleanupPolicy: ['delete'],
        dirtyRatio: null,
      },
    ])
  })
})

describe('offsets', () => {
  it('prints as kafka-get-offsets', async () => {
    expect(await text('offsets', path)).toBe('orders:3:4\n')
    expect(await text('offsets', path, '--time', 'earliest')).toBe('orders:3:0\n')
    expect(await text('offsets', path, '--time', 'max-timestamp')).toBe('orders:3:2\n')
    expect(await text('offsets', path, '--time', '-3')).toBe('orders:3:2\n')
    expect(await text('offsets', path, '--time', '1001')).toBe('orders:3:1\n')
    expect(await text('offsets', path, '--time', '5000')).toBe('orders:3:\n')
  })

  it('of a whole directory, or as JSON', async () => {
    expect(await text('offsets', broker, '--time', '-2')).toContain('compacted:0:0\ndeleted:0:7\nempty:0:0\n')
    expect(jsonLines(await plog(['offsets', directory, '--json', '--time', '1001']))).toEqual([
      { topic: 'orders', partition: 3, offset: '1', timestamp: '2000' },
    ])
    expect(jsonLines(await plog(['offsets', path, '--json', '--time', '5000']))[0]).toMatchObject({
      offset: null,
    })
  })
})

describe('a path that is no log', () => {
  it('is wrong usage for every command, also where it is a file', async () => {
    const place = tempDir()
    const file = join(place, 'file-0')
    writeFileSync(file, 'text')
    for (const wrong of [file, join(file, 'x-0'), join(place, 'missing-0')]) {
      for (const args of [['ls'], ['read'], ['read', '--follow'], ['offsets'], ['lookup']]) {
        const offsets = args[0] === 'lookup' ? ['0'] : []
        const { exitCode, stderr } = await plog([...args, '--json', wrong, ...offsets])
        expect({ args, wrong, exitCode }).toEqual({ args, wrong, exitCode: 2 })
        expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'ERR_NOT_A_LOG', path: wrong } })
      }
    }
    for (const wrong of [file, join(file, 'x-0')])
      expect(await plog(['append', wrong], 'a\n')).toMatchObject({ exitCode: 2 })
    expect(readFileSync(file, 'utf8')).toBe('text')
  })
})
