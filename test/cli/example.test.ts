/** The article's numbers, through the command line: its 12,000 records, and its small indexes. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog, startPlog } from '../support/cli.js'
import { tempDir } from '../support/temp-dir.js'

const directory = tempDir()
const log = join(directory, 'seg-0')
const small = join(directory, 'seg2-0')

function input(records: number): string {
  const value = 'v'.repeat(250)
  return Array.from({ length: records }, (_, i) => `k-${String(i).padStart(6, '0')}:${value}\n`).join('')
}

const FLAGS = [
  '--key-separator',
  ':',
  '--batch-records',
  '10',
  '--timestamp',
  '1794024676000+1',
  '--producer-id',
  '1',
]

function sizes(name: string, kinds: readonly string[]): number[] {
  return kinds.map((kind) => statSync(join(log, `${name}.${kind}`)).size)
}

describe('12,000 records in segments of 1 MiB', () => {
  beforeAll(async () => {
    const run = startPlog(['append', log, ...FLAGS, '--config', 'segment.bytes=1048576'])
    run.child.stdin.end(input(12_000))
    const { exitCode, stderr } = await run.result
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'appended 12000 records in 1200 batches to seg-0: offsets 0 to 11999\n',
    })
  })

  it('make the four segments of the article', async () => {
    const segments = jsonLines(await plog(['ls', log, '--json']))
    expect(
      segments.map(({ baseOffset, offsetIndexEntries, timeIndexEntries }) => [
        baseOffset,
        offsetIndexEntries,
        timeIndexEntries,
      ]),
    ).toEqual([
      ['0', 191, 191],
      ['3830', 191, 191],
      ['7660', 191, 191],
      ['11490', 25, 25],
    ])
    for (const name of ['00000000000000000000', '00000000000000003830', '00000000000000007660'])
      expect(sizes(name, ['log', 'index', 'timeindex'])).toEqual([1_045_973, 1528, 2292])
    expect(sizes('00000000000000011490', ['log', 'index', 'timeindex'])).toEqual([139_281, 200, 300])
    const opened = await openLog(log)
    expect(sizes('00000000000000011490', ['index', 'timeindex'])).toEqual([10_485_760, 10_485_756])
    await opened.close()
    expect(sizes('00000000000000011490', ['index', 'timeindex'])).toEqual([200, 300])
  })

  it('are looked up as in the article', async () => {
    const { stdout } = await plog(['lookup', log, '0', '35', '49', '50', '3829'])
    expect(stdout.toString()).toBe(
      `index file: 00000000000000000000.index, log file: 00000000000000000000.log
index entries: 191
target 0 -> index says (offset 0, position 0) -> batch at position 0 (baseOffset 0, size 2731)
target 35 -> index says (offset 29, position 5462) -> batch at position 8193 (baseOffset 30, size 2731)
target 49 -> index says (offset 49, position 10924) -> batch at position 10924 (baseOffset 40, size 2731)
target 50 -> index says (offset 49, position 10924) -> batch at position 13655 (baseOffset 50, size 2731)
target 3829 -> index says (offset 3829, position 1043242) -> batch at position 1043242 (baseOffset 3820, size 2731)
`,
    )
  })

  it('dump as in the article', async () => {
    const index = await plog(['dump', join(log, '00000000000000000000.index')])
    expect(index.stdout.toString().split('\n').slice(1, 5)).toEqual([
      'offset: 29 position: 5462',
      'offset: 49 position: 10924',
      'offset: 69 position: 16386',
      'offset: 89 position: 21848',
    ])
    const time = await plog(['dump', join(log, '00000000000000000000.timeindex')])
    expect(time.stdout.toString().split('\n').slice(1, 4)).toEqual([
      'timestamp: 1794024676002 offset: 29',
      'timestamp: 1794024676004 offset: 49',
      'timestamp: 1794024676006 offset: 69',
    ])
    const batches = await plog(['dump', '--max-bytes', '8193', join(log, '00000000000000000000.log')])
    expect(batches.stdout.toString()).toContain(
      'baseOffset: 20 lastOffset: 29 count: 10 baseSequence: 20 lastSequence: 29 producerId: 1 producerEpoch: 0 ',
    )
  })

  it('end quietly when the reader of stdout goes away', async () => {
    const run = startPlog(['read', log])
    await run.stdout.until('v\n')
    run.child.stdout.destroy()
    expect(await run.result).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

describe('an index of 400 bytes', () => {
  it('rolls every 650 records, when the time index is full', async () => {
    const flags = [...FLAGS, '--config', 'segment.index.bytes=400']
    expect((await plog(['append', small, ...flags], input(2000))).exitCode).toBe(0)
    const segments = jsonLines(await plog(['ls', '--json', small]))
    expect(
      segments.map(({ baseOffset, offsetIndexEntries: o, timeIndexEntries: t }) => [baseOffset, o, t]),
    ).toEqual([
      ['0', 32, 32],
      ['650', 32, 32],
      ['1300', 32, 32],
      ['1950', 2, 2],
    ])
  })
})
