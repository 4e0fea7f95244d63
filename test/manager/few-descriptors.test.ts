/** More logs than a process may have files open: a low limit must not leave logs out, which would spoil the directory. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { limitIn } from '../../lib/backend/open-files-limit.js'
import { DEFAULT_OPEN_SEGMENTS, openSegmentsWithin } from '../../lib/segment/open-segments.js'
import { closedDirectory, namesOf, testManager } from '../support/manager.js'

const library = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href
const LOGS = 90

test('the bound of open segments leaves half of the allowed files to others', () => {
  expect(openSegmentsWithin(256)).toBe(42)
  expect(openSegmentsWithin(1_048_576)).toBe(DEFAULT_OPEN_SEGMENTS)
  expect(openSegmentsWithin(undefined)).toBe(DEFAULT_OPEN_SEGMENTS)
})

test('the limit is read as Linux tells it', () => {
  const line = (soft: string) => `Limit   Soft Limit\nMax open files            ${soft}   4096   files     \n`
  expect(limitIn(line('1024'))).toBe(1024)
  expect(limitIn(line('unlimited'))).toBeUndefined()
  expect(limitIn('')).toBeUndefined()
})

test.runIf(process.platform === 'linux')(
  'all logs of a directory are opened, used and closed with few descriptors',
  async () => {
    const directory = await closedDirectory(...Array.from({ length: LOGS }, (_, n) => `orders-${n}`))
    const code = `
      import { openLogManager } from ${JSON.stringify(library)}
      const manager = await openLogManager({ logDirs: [${JSON.stringify(directory)}] })
      for (const log of manager.logs()) log.append([{ value: 'x' }])
      console.log(manager.logs().length, manager.problems.map(({ error }) => error.message).join())
      await manager.close()`
    const args = ['-c', 'ulimit -n 128; exec "$0" --input-type=module --eval "$1"', process.execPath, code]
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' })
    expect(stdout + stderr).toBe(`${LOGS} \n`)
    const manager = await testManager({ logDirs: [directory] })
    expect(namesOf(manager)).toHaveLength(LOGS)
    expect(manager.logs().every(({ offsets }) => offsets.logEndOffset === 4n)).toBe(true)
  },
)
