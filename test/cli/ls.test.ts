/** `plog ls` and `plog offsets`: of one log and of a log directory, whatever lies in it. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog } from '../support/cli.js'
import { tempDir } from '../support/temp-dir.js'

const UNIQUE = '0123456789abcdef0123456789abcdef'

/** Three segments of one record of 100 bytes, and an empty active one; closed. */
async function logWith(path: string, config: object = {}): Promise<string> {
  const log = await openLog(path, { config: { indexIntervalBytes: 0, ...config } })
  for (let n = 0; n < 3; n++) {
    log.append([{ key: 'k', value: 'v'.repeat(31), timestamp: 1_000 * (n + 1) }])
    log.roll()
  }
  await log.close()
  return path
}

async function text(...args: string[]): Promise<string> {
  return (await plog(args)).stdout.toString()
}

describe('ls of one log', () => {
  it('shows its segments, and where it starts', async () => {
    const path = await logWith(join(tempDir(), 'orders-0'))
    await plog(['delete-records', path, '--before', '1'])
    expect(await text('ls', path)).toBe(
      `base offset  next offset  size  index entries  time index entries            last timestamp  start offset
          0            1   100              0                   1  1970-01-01T00:00:01.000Z             -
          1            2   100              0                   1  1970-01-01T00:00:02.000Z             1
          2            3   100              0                   1  1970-01-01T00:00:03.000Z             2
          3            3     0              0                   0                         -             3  active
`,
    )
    expect(jsonLines(await plog(['ls', path, '--json']))).toMatchObject([
      { baseOffset: '0', nextOffset: '1', startOffset: null, sizeInBytes: 100, active: false },
      { baseOffset: '1', startOffset: '1', maxTimestamp: '2000' },
      { baseOffset: '2', startOffset: '2' },
      { baseOffset: '3', startOffset: '3', maxTimestamp: '-1', active: true },
    ])
  })

  it('shows a start within a segment, and one at the end of an empty log', async () => {
    const path = join(tempDir(), 'orders-0')
    await plog(['append', path, '--batch-records', '10'], 'v\n'.repeat(10))
    await plog(['delete-records', path, '--before', '4'])
    expect(jsonLines(await plog(['ls', path, '--json']))).toMatchObject([
      { baseOffset: '0', startOffset: '4' },
    ])
    await plog(['delete-records', path, '--before', '-1'])
    expect(jsonLines(await plog(['ls', path, '--json']))).toMatchObject([
      { baseOffset: '0', startOffset: '10' },
    ])
  })
})

describe('a log directory', () => {
  async function directory(): Promise<string> {
    const data = tempDir()
    await logWith(join(data, 'orders-10'))
    await logWith(join(data, 'orders-2'), { cleanupPolicy: 'compact,delete' })
    await logWith(join(data, 'bad-0'))
    rmSync(join(data, 'bad-0', '00000000000000000001.index'))
    await logWith(join(data, 'theirs-0'))
    rmSync(join(data, 'theirs-0', 'partition-log.properties'))
    for (const name of [
      'empty-0',
      `a-0.${UNIQUE}-delete`,
      `b-0.${UNIQUE}-future`,
      `c-0.${UNIQUE}-stray`,
      'lost+found',
    ])
      mkdirSync(join(data, name))
    return data
  }

  it('has a row for each log; one that cannot be opened with its reason, which is exit code 1', async () => {
    const { exitCode, stdout, stderr } = await plog(['ls', await directory()])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    const [head, bad, ...rest] = stdout.toString().trimEnd().split('\n')
    expect(head).toBe('log        segments  size  start offset  end offset  policy          dirty')
    expect(bad).toMatch(/^bad-0 {2,}ERR_CORRUPT: .*00000000000000000001\.index/)
    expect(rest).toEqual([
      'orders-2          4   300             0           3  compact,delete  100 %',
      'orders-10         4   300             0           3  delete              -',
      'theirs-0          4   300             0           3  -                   -',
    ])
  })

  it('shows what is no live log with --all', async () => {
    const data = await directory()
    const rows = (await text('ls', data, '--all')).trimEnd().split('\n').slice(5)
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['empty-0', 'the name of a log, but no segments'],
      [`a-0.${UNIQUE}-delete`, 'a deleted log; its files are still to be removed'],
      [`b-0.${UNIQUE}-future`, 'a log on its way here from another log directory'],
      [`c-0.${UNIQUE}-stray`, 'a log that a broker set aside because it was not its own'],
      ['lost+found', 'no log: not named topic-partition'],
    ])
    const objects = jsonLines(await plog(['ls', data, '--all', '--json']))
    expect(objects).toMatchObject([
      { name: 'bad-0', kind: 'log', error: { code: 'ERR_CORRUPT', kind: 'index' } },
      {
        name: 'orders-2',
        kind: 'log',
        segments: 4,
        sizeInBytes: 300,
        logEndOffset: '3',
        cleanupPolicy: ['compact', 'delete'],
        dirtyRatio: 1,
      },
      { name: 'orders-10', cleanupPolicy: ['delete'], dirtyRatio: null },
      { name: 'theirs-0', cleanupPolicy: null },
      { name: 'empty-0', kind: 'empty' },
      { kind: 'deleted' },
      { kind: 'future' },
      { kind: 'stray' },
      { kind: 'foreign' },
    ])
  })

  it('is listed with --all where it holds no log at all', async () => {
    const data = tempDir()
    mkdirSync(join(data, 'lost+found'))
    expect(await plog(['ls', data])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('ERR_NOT_A_LOG'),
    })
    expect(jsonLines(await plog(['ls', data, '--all', '--json']))).toEqual([
      { name: 'lost+found', kind: 'foreign' },
    ])
    expect((await plog(['ls', tempDir(), '--all'])).exitCode).toBe(2)
  })

  it('has offsets of each log that can be opened; of another JSON tells why not', async () => {
    const data = await directory()
    const run = await plog(['offsets', data])
    expect(run).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^plog: ERR_CORRUPT: .*bad-0.*\n$/),
    })
    expect(run.stdout.toString()).toBe('orders:2:3\norders:10:3\ntheirs:0:3\n')
    const json = await plog(['offsets', data, '--json', '--time', '2500'])
    expect(json).toMatchObject({ exitCode: 1, stderr: '' })
    expect(jsonLines(json)).toMatchObject([
      { topic: 'bad', partition: 0, offset: null, error: { code: 'ERR_CORRUPT' } },
      { topic: 'orders', partition: 2, offset: '2', timestamp: '3000' },
      { topic: 'orders', partition: 10 },
      { topic: 'theirs', partition: 0 },
    ])
  })
})

describe('help', () => {
  it.each(['ls', 'offsets', 'explain', 'retain', 'delete-records'])(
    'of %s ends with an example',
    async (command) => {
      const { exitCode, stdout, stderr } = await plog([command, '--help'])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(stdout.toString()).toMatch(new RegExp(`^Usage: plog ${command} `))
      expect(stdout.toString()).toMatch(new RegExp(`\\nExamples?:\\n  plog ${command} data`))
      for (const flag of ['--json', '--backend', '--help']) expect(stdout.toString()).toContain(flag)
    },
  )
})
