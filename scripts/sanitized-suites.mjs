/**
 * `node scripts/sanitized-suites.mjs`: the test suites that reach the native
 * backend, on an addon with address, leak and undefined behaviour sanitizers.
 * They run in a copy of this tree, so that no build of it is touched. Exit
 * code 1: a fault, which the sanitizer has printed. Linux with g++ and cmake.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { capture, Failure, main, root, runTool, step } from './lib/run.mjs'
import { runVitest } from './lib/vitest-run.mjs'

const SUITES = ['backend', 'conformance', 'segment', 'log', 'manager'].map((name) => `test/${name}/`)
const LEFT_OUT = /^(\.git|node_modules|build|build-[^/]*|coverage|bench)$/
const BUILD = 'build-sanitized'

await main(async () => {
  const library = sanitizerLibrary()
  await step('sanitized addon', () =>
    runTool('cmake-js/bin/cmake-js', ['compile', '-D', '-O', BUILD, '--CDSANITIZE=ON'], { quiet: true }),
  )
  const tree = mkdtempSync(join(tmpdir(), 'partition-log-sanitized-'))
  try {
    copyTree(tree)
    const env = {
      LD_PRELOAD: library,
      // V8 keeps what it has until the process ends; what the addon loses is told by its own frames.
      ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=0',
      UBSAN_OPTIONS: 'print_stacktrace=1',
    }
    const suites = process.argv.length > 2 ? process.argv.slice(2) : SUITES
    const result = await step('suites', () =>
      runVitest(['--project=native', ...suites], 'build', { cwd: tree, env }),
    )
    console.log(`${result.passed} passed, ${result.failed} failed`)
    process.exitCode = result.exitCode
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
})

function sanitizerLibrary() {
  const path = process.platform === 'linux' ? capture('g++', ['-print-file-name=libasan.so']) : null
  if (path === null || !path.includes('/')) throw new Failure('this needs Linux and g++ with its sanitizers')
  return path
}

function copyTree(tree) {
  // Some tests have children of other users, who read it.
  chmodSync(tree, 0o755)
  cpSync(root, tree, {
    recursive: true,
    filter: (path) => !LEFT_OUT.test(relative(root, path).split(sep)[0]),
  })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  mkdirSync(join(tree, 'build/Release'), { recursive: true })
  cpSync(join(root, BUILD, 'Debug/partition_log.node'), join(tree, 'build/Release/partition_log.node'))
}
