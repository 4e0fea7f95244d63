/**
 * The run's own temporary folder. It is gone, and no worker lives, when the
 * process ends, also by an interrupt.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killAll } from './worker-process.mjs'

/** Its path; `onEnd` is called before it goes. */
export function openTempFolder(onEnd = () => {}) {
  const path = mkdtempSync(join(tmpdir(), 'partition-log-bench-'))
  process.on('exit', () => {
    killAll()
    onEnd()
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.on(signal, () => process.exit(code))
  }
  return path
}
