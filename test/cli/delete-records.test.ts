/** `plog delete-records`: what kafka-delete-records prints, and what the log is then. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog, startPlog } from '../support/cli.js'
import { testLog } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

async function logOf(records: number): Promise<string> {
  const path = join(tempDir(), 'orders-0')
  await plog(
    ['append', path, '--batch-records', '1'],
    Array.from({ length: records }, (_, n) => `v${n}\n`).join(''),
  )
  return path
}

describe('plog delete-records', () => {
  it('raises the log start offset and prints it', async () => {
    const path = await logOf(5)
    const { exitCode, stdout, stderr } = await plog(['delete-records', path, '--before', '3'])
    expect([exitCode, stdout.toString(), stderr]).toEqual([0, 'partition: orders-0\tlow_watermark: 3\n', ''])
    expect((await plog(['read', path])).stdout.toString()).toBe('v3\nv4\n')
    expect((await plog(['offsets', path, '--time', 'earliest'])).stdout.toString()).toBe('orders:0:3\n')
  })

  it('never lowers it', async () => {
    const path = await logOf(5)
    await plog(['delete-records', path, '--before', '3'])
    const { stdout } = await plog(['delete-records', path, '--before', '1'])
    expect(stdout.toString()).toBe('partition: orders-0\tlow_watermark: 3\n')
  })

  it('takes -1 for the high watermark, and prints JSON', async () => {
    const path = await logOf(5)
    const run = await plog(['delete-records', path, '--before', '-1', '--json'])
    expect(jsonLines(run)).toEqual([{ topic: 'orders', partition: 0, logStartOffset: '5' }])
    expect((await plog(['read', path])).stdout.toString()).toBe('')
    await plog(['append', path], 'next\n')
    expect((await plog(['read', path, '--format', '%o %v'])).stdout.toString()).toBe('5 next\n')
  })

  it('refuses an offset above the high watermark, and changes nothing', async () => {
    const path = await logOf(5)
    const run = await plog(['delete-records', path, '--before', '6'])
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ERR_OFFSET_OUT_OF_RANGE') })
    expect((await plog(['offsets', path, '--time', 'earliest'])).stdout.toString()).toBe('orders:0:0\n')
    await (await openLog(path)).close()
  })

  it.each([[[]], [['--before', 'x']], [['--before', '-2']], [['--before', '9223372036854775808']]])(
    'refuses %j as wrong usage',
    async (flags) => {
      const run = await plog(['delete-records', await logOf(1), ...flags])
      expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('ERR_USAGE') })
    },
  )

  it('takes one log, which must be there', async () => {
    const data = join(await logOf(1), '..')
    for (const path of [data, join(data, 'other-0')])
      expect(await plog(['delete-records', path, '--before', '0'])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('ERR_NOT_A_LOG'),
      })
  })

  it('leaves a log alone that another has open', async () => {
    const log = await testLog()
    log.append([{ value: 'v' }])
    const run = startPlog(['delete-records', log.path, '--before', '1'])
    expect(await run.result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('ERR_LOCKED') })
  })
})
