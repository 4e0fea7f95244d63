/** `plog transactions`: what is open, beside a writer too, and the end of one whose producer is gone. */
import { describe, expect, it } from 'vitest'
import { jsonLines, plog } from '../support/cli.js'
import { numbered, testLog, values } from '../support/log.js'

async function logWithOpen() {
  const log = await testLog()
  const gone = log.producer({ id: 4001n })
  gone.begin()
  gone.append(numbered(1, 0, Date.now()))
  log.append(numbered(1, 1))
  return log
}

describe('plog transactions', () => {
  it('lists what is open, beside its writer', async () => {
    const log = await logWithOpen()
    const { stdout } = await plog(['transactions', log.path])
    expect(stdout.toString()).toMatch(/log +producer id +epoch +first offset +last written +late\n/)
    expect(stdout.toString()).toMatch(/orders-0 +4001 +0 +0 +20\S+Z +no\n/)
    expect(jsonLines(await plog(['transactions', log.path, '--json']))).toMatchObject([
      { topic: 'orders', partition: 0, producerId: '4001', firstOffset: '0', isLate: false },
    ])
  })

  it('known fault 37: aborts one whose producer is gone, and readers of committed data go on', async () => {
    const log = await logWithOpen()
    await log.close()
    const run = await plog(['transactions', log.path, '--abort', '4001', '--json'])
    expect(jsonLines(run)).toMatchObject([
      { producerId: '4001', firstOffset: '0', markerOffset: '2', aborted: true },
    ])
    const again = await testLog({ path: log.path })
    expect(await values(again.read({ isolation: 'committed' }))).toEqual(['v1'])
    const none = await plog(['transactions', log.path])
    expect([none.exitCode, none.stdout.toString(), none.stderr]).toEqual([0, '', 'no transaction is open\n'])
  })

  it('refuses to abort what is not open', async () => {
    const log = await logWithOpen()
    await log.close()
    const { exitCode, stderr } = await plog(['transactions', log.path, '--abort', '7'])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('ERR_INVALID_TRANSACTION_STATE')])
  })
})
