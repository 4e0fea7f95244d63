/**
 * `npm run test:crash`: the crash proofs, on every backend that can run here.
 * `PROOF_SCALE=10` makes them ten times as thorough, `SEED=` repeats a run.
 * More arguments go to vitest.
 */
import { resolve } from 'node:path'
import { prepareAddon } from './lib/addon-under-test.mjs'
import { main, runTool, step } from './lib/run.mjs'
import { runVitest } from './lib/vitest-run.mjs'

/** @param {'build' | 'prebuild' | null} native where the addon under test comes from */
export function crashTests(native, extra = []) {
  const projects = extra.some((argument) => argument.startsWith('--project'))
    ? []
    : [...(native === null ? [] : ['--project=native']), '--project=portable']
  const args = ['--config', 'vitest.crash.config.ts', ...projects, ...extra]
  return step('crash proofs', () => runVitest(args, native))
}

if (process.argv[1] === resolve(import.meta.filename)) {
  await main(async () => {
    await step('build dist', () => runTool('typescript/bin/tsc', ['-p', 'tsconfig.json']))
    const native = await step('native addon', prepareAddon)
    const { passed, failed, exitCode } = await crashTests(native, process.argv.slice(2))
    console.log(`${passed} passed, ${failed} failed`)
    process.exitCode = exitCode
  })
}
