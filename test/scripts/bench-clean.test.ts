/**
 * The workers of `npm run bench:clean` at a tiny size: what they measure is
 * there, and is what the log holds.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backendUnderTest } from '../support/backend.js'
import { tempDir } from '../support/temp-dir.js'

const bench = join(import.meta.dirname, '../../bench/clean')
const MAKE = `
import { copyLogDirectory, makeDirtyLog } from ${JSON.stringify(join(bench, 'load.mjs'))}
const [dirty, ...copies] = process.argv.slice(1)
await makeDirtyLog(dirty, 1, 'gzip')
for (const copy of copies) copyLogDirectory(dirty, copy)
`

function runWorker(name: string, ...args: readonly string[]): Record<string, number> {
  return JSON.parse(execFileSync(process.execPath, [join(bench, name), ...args], { encoding: 'utf8' }))
}

test('a cleaning, the map of keys and the event loop are measured', () => {
  const backend = backendUnderTest().name
  const directory = tempDir()
  const [dirty, one, other] = ['dirty', 'one', 'other'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  execFileSync(process.execPath, ['--input-type=module', '-e', MAKE, '--', dirty, one, other])

  const cleaned = runWorker('clean-worker.mjs', backend, 'md5', one)
  expect(cleaned.recordsRead).toBe(65 * 130)
  expect(cleaned.recordsWritten).toBe(cleaned.keys)
  expect(cleaned.keys).toBeGreaterThan(800)
  expect(cleaned.ms).toBeGreaterThan(cleaned.mapMs as number)

  const map = runWorker('map-worker.mjs', backend, 'xxh3', '3000', '100')
  expect(Math.min(map.putNs as number, map.getNs as number)).toBeGreaterThan(0)

  const late = runWorker('loop-worker.mjs', backend, 'same', '1000', '0', other)
  expect(late.appended).toBeGreaterThan(900)
  expect(late.p50).toBeLessThanOrEqual(late.most as number)
}, 120_000)
