/** Fresh directories for a test file, removed when its tests are over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
})

/** Makes an empty directory that lives until the test file ends; gives its absolute path. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'partition-log-'))
  made.push(path)
  return path
}
