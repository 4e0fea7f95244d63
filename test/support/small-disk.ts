/** A file system of a few kilobytes, where this machine lets a test mount one. */
import { execFileSync } from 'node:child_process'
import { afterAll } from 'vitest'
import { tempDir } from './temp-dir.js'

const mounted: string[] = []

afterAll(() => {
  for (const path of mounted.splice(0)) execFileSync('umount', ['--lazy', path])
})

/** A mounted directory that lives until the test file ends; undefined where mounting is not allowed. */
export function smallDisk(sizeInBytes: number): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const path = tempDir()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeInBytes}`, 'none', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  mounted.push(path)
  return path
}
