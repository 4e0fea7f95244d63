import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openLog } from '../../lib/manager/open-log.js'
import { numbered, testLog } from '../support/log.js'
import { testManager } from '../support/manager.js'
import { tempDir } from '../support/temp-dir.js'

/** Permissions do not bind root: the tests act as nobody for a while. */
const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0

afterEach(() => {
  if (isRoot) process.seteuid?.(0)
})

describe.runIf(isRoot)('without permission', () => {
  test('a directory that may not be written is an error that names it', async () => {
    const above = join(tempDir(), 'data')
    mkdirSync(above, { mode: 0o755 })
    chmodSync(dirname(above), 0o755)
    process.seteuid?.(NOBODY)
    await expect(openLog(join(above, 'orders-0'))).rejects.toMatchObject({
      code: 'ERR_IO',
      errno: 'EACCES',
      path: expect.stringContaining(above),
    })
    expect(existsSync(join(above, 'orders-0'))).toBe(false)
  })

  test('a log whose file belongs to another names the file', async () => {
    const log = await testLog()
    log.append(numbered(1))
    await log.close()
    const above = dirname(log.path)
    chmodSync(dirname(above), 0o755)
    for (const path of [above, log.path]) chownSync(path, NOBODY, NOBODY)
    for (const name of [
      '.kafka_cleanshutdown',
      'recovery-point-offset-checkpoint',
      'log-start-offset-checkpoint',
      'replication-offset-checkpoint',
    ]) {
      chownSync(join(above, name), NOBODY, NOBODY)
    }
    for (const name of ['partition-log.properties', 'leader-epoch-checkpoint', 'partition.metadata']) {
      chownSync(join(log.path, name), NOBODY, NOBODY)
    }
    process.seteuid?.(NOBODY)
    const refused = openLog(log.path)
    await expect(refused).rejects.toMatchObject({ code: 'ERR_IO', syscall: 'open', errno: 'EACCES' })
    await expect(refused).rejects.toMatchObject({ path: join(log.path, '00000000000000000000.log') })
    process.seteuid?.(0)
    // The marker went and came back: nothing was changed.
    expect(existsSync(join(above, '.kafka_cleanshutdown'))).toBe(true)
    await (await openLog(log.path)).close()
  })

  test('a directory that was made read-only meanwhile is let go of all the same', async () => {
    const above = join(tempDir(), 'data')
    chmodSync(dirname(above), 0o777)
    process.seteuid?.(NOBODY)
    const manager = await testManager({ logDirs: [above] })
    chmodSync(above, 0o500)
    await expect(manager.close()).rejects.toMatchObject({
      code: 'ERR_IO',
      errno: 'EACCES',
      path: expect.stringContaining(above),
    })
    chmodSync(above, 0o700)
    await (await testManager({ logDirs: [above] })).close()
  })
})
