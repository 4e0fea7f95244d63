/** Fresh directories for a test file, removed when its tests are over. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
})

/** Makes an empty directory that lives until the test file ends; gives its absolute path. */
export function tempDir(): string {
  return directoryIn(tmpdir())
}

const MEMORY = '/dev/shm'

/** The same in memory where the system has that: for tests that make thousands of files and sync none. */
export function memoryDir(): string {
  return directoryIn(existsSync(MEMORY) ? MEMORY : tmpdir())
}

/** For a test that makes more directories than it needs at once. */
export function removeDir(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

function directoryIn(parent: string): string {
  const path = mkdtempSync(join(parent, 'partition-log-'))
  made.push(path)
  return path
}
