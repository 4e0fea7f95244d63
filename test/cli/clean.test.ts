/** `plog clean`: what it drops and tells, of one log and of a log directory, and what is in the way. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog } from '../support/cli.js'
import { collect } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const TIME = 1_794_024_000_000

/** Two values of `a` and one of `b`; one segment, closed. */
async function logIn(directory: string, name: string, cleanupPolicy: string, roll = true): Promise<string> {
  const path = join(directory, name)
  const log = await openLog(path, { config: { cleanupPolicy } })
  log.append(['a', 'b', 'a'].map((key, n) => ({ key, value: `v${n}`, timestamp: TIME })))
  if (roll) log.roll()
  await log.close()
  return path
}

async function keysOf(path: string): Promise<string[]> {
  const log = await openLog(path, { readOnly: true })
  const records = await collect(log.read({ from: 'earliest' }))
  await log.close()
  return records.map(({ offset, key }) => `${offset} ${key}`)
}

describe('one log', () => {
  it('is cleaned, whatever its dirty ratio is', async () => {
    const path = await logIn(tempDir(), 'users-0', 'compact')
    const { exitCode, stdout, stderr } = await plog(['clean', path])
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
    expect(stdout.toString()).toBe(
      'users-0: cleaned offsets 0 to 3, 2 keys\n  kept 2 of 3 records, 81 of 91 bytes; 1 segment became 1\n',
    )
    expect(await keysOf(path)).toEqual(['1 b', '2 a'])
    expect((await plog(['clean', path])).stdout.toString()).toBe(
      'users-0: nothing to clean, all of it is clean\n',
    )
  })

  it('is held back by its active segment, unless that is rolled first', async () => {
    const path = await logIn(tempDir(), 'users-0', 'compact', false)
    expect((await plog(['clean', path])).stdout.toString()).toBe(
      'users-0: nothing can be cleaned; the dirty section, 91 bytes from offset 0 on, is held back by the active segment, which is cleaned once it has rolled\n',
    )
    await plog(['clean', path, '--roll'])
    expect(await keysOf(path)).toEqual(['1 b', '2 a'])
  })

  it('as JSON: what was done, and how it stands then', async () => {
    const path = await logIn(tempDir(), 'users-0', 'compact')
    const [line] = jsonLines(await plog(['clean', path, '--json']))
    expect(line).toMatchObject({
      log: 'users-0',
      cleaned: { firstDirtyOffset: '0', endOffset: '3', recordsRead: 3, recordsWritten: 2, keys: 2 },
      cleaning: { kind: 'compacts', firstDirtyOffset: '3', cleanableBytes: 0 },
    })
    expect(jsonLines(await plog(['clean', path, '--json']))[0]).toMatchObject({ cleaned: null })
  })

  it('that does not compact is left as it is', async () => {
    const path = await logIn(tempDir(), 'users-0', 'delete')
    const { exitCode, stdout } = await plog(['clean', path])
    expect([exitCode, stdout.toString()]).toEqual([
      0,
      'users-0: nothing to clean, cleanup.policy has no compact\n',
    ])
    expect(await keysOf(path)).toEqual(['0 a', '1 b', '2 a'])
  })

  it('that is damaged is told with the place, and is exit code 1', async () => {
    const path = await logIn(tempDir(), 'users-0', 'compact')
    const file = join(path, '00000000000000000000.log')
    const bytes = readFileSync(file)
    bytes[70] = (bytes[70] as number) ^ 0xff
    writeFileSync(file, bytes)
    const { exitCode, stderr } = await plog(['clean', path])
    expect(exitCode).toBe(1)
    expect(stderr.toString()).toContain(`${file} at position 0`)
  })

  it('that is not there is exit code 1, and nothing is made', async () => {
    const { exitCode, stderr } = await plog(['clean', join(tempDir(), 'users-0')])
    expect(exitCode).toBe(2)
    expect(stderr.toString()).toContain('ERR_NOT_A_LOG')
  })
})

it('a log directory has each of its logs cleaned', async () => {
  const directory = tempDir()
  const paths = [await logIn(directory, 'a-0', 'compact'), await logIn(directory, 'b-0', 'compact,delete')]
  await logIn(directory, 'c-0', 'delete')
  const lines = jsonLines(await plog(['clean', directory, '--json'])) as {
    log: string
    cleaned: object | null
  }[]
  expect(lines.map(({ log, cleaned }) => [log, cleaned !== null])).toEqual([
    ['a-0', true],
    ['b-0', true],
    ['c-0', false],
  ])
  for (const path of paths) expect(await keysOf(path)).toEqual(['1 b', '2 a'])
})
