/**
 * One log directory under a second name, by a link: whoever opened it by both
 * would write twice to the same place.
 */
import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLog } from '../../lib/manager/open-log.js'
import { numbered, testLog, values } from '../support/log.js'
import { closedDirectory, testManager } from '../support/manager.js'

describe('a log that has a second name by a link', () => {
  test('loses no record to a manager that finds both', async () => {
    const directory = await closedDirectory('orders-0')
    symlinkSync('orders-0', join(directory, 'alias-0'))
    const manager = await testManager({ logDirs: [directory] })
    const [log, ...others] = manager.logs()
    expect(others).toEqual([])
    expect(manager.problems).toMatchObject([{ log: 'alias-0', error: { code: 'ERR_UNSUPPORTED' } }])
    log?.append([{ value: 'one' }])
    expect(await values((log as PartitionLog).read({ from: 3n }))).toEqual(['one'])
  })

  test('is not opened by openLog under the other', async () => {
    const log = await testLog()
    log.append(numbered(1))
    const alias = join(dirname(log.path), 'alias-0')
    symlinkSync(log.path, alias)
    await expect(openLog(alias)).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED' })
    const seen = await openLog(alias, { readOnly: true })
    expect(seen.offsets.logEndOffset).toBe(1n)
    await seen.close()
  })
})
