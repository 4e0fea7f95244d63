/**
 * `npm test`: builds what is tested, then runs the tests on every backend that
 * can run here. More arguments go to vitest: `npm test -- -t retention`.
 *
 * Always true: the native tests run on a binary built from this tree, or not at
 * all, and then a line says so. The last line is `N passed, N failed`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkLayers } from './check-layers.mjs'
import { builtAddon, embeddedHash, prebuiltAddonHere, treeHash } from './lib/native-binary.mjs'
import { Failure, main, root, runTool, step } from './lib/run.mjs'
import { buildAddon, missingForNativeBuild } from './lib/toolchain.mjs'

await main(async () => {
  await step('build dist', () => runTool('typescript/bin/tsc', ['-p', 'tsconfig.json']))
  await step('layers', () => console.log(checkLayers(root)))
  const native = await step('native addon', prepareAddon)
  const summary = await step('tests', () => runTests(native))
  console.log(`${summary.passed} passed, ${summary.failed} failed`)
  process.exitCode = summary.exitCode
})

/** @returns {'build' | 'prebuild' | null} where the native backend under test comes from; null: it cannot run */
function prepareAddon() {
  const missing = missingForNativeBuild()
  if (missing === null) return buildIfStale()
  const path = prebuiltAddonHere()
  if (path !== null && embeddedHash(path) === treeHash()) {
    console.log(`${missing}: the native tests run on the prebuilt binary, which was built from this tree`)
    return 'prebuild'
  }
  const why =
    path === null ? 'no prebuilt binary for this machine' : 'the prebuilt binary is not from this tree'
  console.log(`${missing}, and ${why}: only the portable backend is tested`)
  return null
}

function buildIfStale() {
  const wanted = treeHash()
  if (embeddedHash(builtAddon()) === wanted) {
    console.log('build/Release is current')
    return 'build'
  }
  buildAddon()
  if (embeddedHash(builtAddon()) !== wanted)
    throw new Failure('the addon just built does not carry the hash of this tree')
  return 'build'
}

function runTests(native) {
  const folder = mkdtempSync(join(tmpdir(), 'partition-log-summary-'))
  const file = join(folder, 'summary.json')
  try {
    const exitCode = runVitest(native, file)
    return verdict(readSummary(file), exitCode)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @returns {number} vitest's exit code */
function runVitest(native, summaryFile) {
  const extra = process.argv.slice(2)
  const chosen = extra.some((argument) => argument.startsWith('--project'))
  const projects = chosen ? [] : [...(native ? ['--project=native'] : []), '--project=portable']
  try {
    runTool('vitest/vitest.mjs', ['run', ...projects, ...extra], { env: environment(native, summaryFile) })
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

/** A run that vitest calls failed has at least one failure, and one that says nothing failed too. */
function verdict({ passed, failed }, exitCode) {
  if (exitCode === 0 && failed === 0) return { passed, failed, exitCode: 0 }
  return { passed, failed: Math.max(failed, 1), exitCode: exitCode || 1 }
}

function readSummary(file) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  console.error('vitest ended without a summary')
  return { passed: 0, failed: 1 }
}
