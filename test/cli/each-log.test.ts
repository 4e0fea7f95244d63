import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonLines, plog } from '../support/cli.js'
import { tempDir } from '../support/temp-dir.js'

test('one damaged log hides none of the others', async () => {
  const data = tempDir()
  for (const name of ['a-0', 'b-0', 'c-0']) {
    await plog(['append', join(data, name), '--config', 'index.interval.bytes=0'], 'x\n')
  }
  rmSync(join(data, 'b-0', '00000000000000000000.index'))
  const listed = await plog(['ls', data, '--json'])
  expect(jsonLines(listed)).toMatchObject([
    { name: 'a-0' },
    { name: 'b-0', error: { code: 'ERR_CORRUPT' } },
    { name: 'c-0' },
  ])
  expect(listed).toMatchObject({ exitCode: 1, stderr: '' })
  const offsets = await plog(['offsets', data])
  expect(offsets.stdout.toString()).toBe('a:0:1\nc:0:1\n')
  expect(offsets).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('b-0') })
})
