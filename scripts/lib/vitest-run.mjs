/**
 * Runs vitest and says in numbers how it went, whatever became of it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, root, runTool } from './run.mjs'

/**
 * @param {string[]} args for `vitest run`
 * @param {'build' | 'prebuild' | null} native where the addon under test must come from
 * @param {{cwd?: string, env?: Record<string, string>}} [where] the tree whose tests run, and what they find in their environment
 * @returns {{passed: number, failed: number, exitCode: number}} always with a failure where vitest failed or said nothing
 */
export function runVitest(args, native, { cwd = root, env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'partition-log-summary-'))
  const file = join(folder, 'summary.json')
  try {
    const exitCode = exitCodeOf(args, { cwd, env: { ...environment(native, file), ...env } })
    return verdict(readSummary(file), exitCode)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function exitCodeOf(args, options) {
  try {
    runTool('vitest/vitest.mjs', ['run', ...args], options)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.exitCode
  }
}

function environment(native, summaryFile) {
  const env = { PARTITION_LOG_SUMMARY: summaryFile, PARTITION_LOG_PREBUILD: '', PREBUILDS_ONLY: '' }
  if (!process.stdout.isTTY) env.NO_COLOR = '1'
  if (native !== null) env.PARTITION_LOG_EXPECT = native
  if (native === 'prebuild') env.PREBUILDS_ONLY = '1' // a stale build/ would shadow it
  return env
}

function readSummary(file) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  console.error('vitest ended without a summary')
  return { passed: 0, failed: 1 }
}

/** A run that vitest calls failed has at least one failure, and one that says nothing failed too. */
function verdict({ passed, failed }, exitCode) {
  if (exitCode === 0 && failed === 0) return { passed, failed, exitCode: 0 }
  return { passed, failed: Math.max(failed, 1), exitCode: exitCode || 1 }
}
