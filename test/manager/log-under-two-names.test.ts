/**
 * One log directory under a second name, by a link: whoever opens it by both
 * writes twice to the same place. Both tests fail as things are (`fails`):
 * take that away with the fault.
 */
import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLog } from '../../lib/manager/open-log.js'
import { numbered, testLog, values } from '../support/log.js'
import { closedDirectory, testManager } from '../support/manager.js'

describe('a log that has a second name by a link', () => {
  test.fails('loses no record to a manager that finds both', async () => {
    const directory = await closedDirectory('orders-0')
    symlinkSync('orders-0', join(directory, 'alias-0'))
    const manager = await testManager({ logDirs: [directory] })
    for (const log of manager.logs()) log.append([{ value: log.name }])
    const [log] = manager.logs()
    if (log !== undefined) expect(await values(log.read({ from: 3n }))).toEqual([log.name])
    else expect(manager.problems).toHaveLength(2)
  })

  test.fails('is not opened by openLog under the other', async () => {
    const log = await testLog()
    log.append(numbered(1))
    const alias = join(dirname(log.path), 'alias-0')
    symlinkSync(log.path, alias)
    await expect(openLog(alias)).rejects.toMatchObject({ code: 'ERR_LOCKED' })
  })
})
