/** How much a lookup reads: memory and calls must not grow with the file. */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createPortableBackend } from '../../lib/backend/portable/index.js'
import { offsetEntries } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

const backend = createPortableBackend()
const COUNT = 100_000

afterEach(() => {
  vi.restoreAllMocks()
})

test.each([
  ['warm', COUNT - 5, 1, 8200],
  ['below the first', -1, 2, 8200 + 4104],
  // Eight halvings until a block of 512 entries holds what is left of 100,000.
  ['cold', 31_337, 11, 8200 + 10 * 4104],
])('a %s lookup', async (_, key, mostCalls, mostBytes) => {
  const path = join(tempDir(), 'a.index')
  fs.writeFileSync(path, offsetEntries(...Array.from({ length: COUNT }, (_, i) => [i, i] as const)))
  const index = backend.openIndexFile(path, { kind: 'offset', mode: 'read', capacityBytes: 0 })
  const reads = vi.spyOn(fs, 'readSync')
  expect(index.lookup(key)?.position ?? -1).toBe(key)
  expect(reads.mock.calls.length).toBeLessThanOrEqual(mostCalls)
  const bytes = reads.mock.results.reduce((sum, { value }) => sum + value, 0)
  expect(bytes).toBeLessThanOrEqual(mostBytes)
  await index.close()
})
