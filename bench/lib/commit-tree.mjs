/**
 * A commit built in a folder of its own: its library and its addon, with the
 * benchmarks of the tree that this runs in, so that both sides do the same.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { capture, Failure, root, run } from '../../scripts/lib/run.mjs'
import { headersEnv } from '../../scripts/lib/toolchain.mjs'

/** Packages and results are no part of what is measured. */
const LEFT_OUT = new Set(['node_modules', 'results'])

/** Builds `commit` in `folder`, which is not there yet. @returns the commit's short name */
export function buildCommit(commit, folder) {
  const name = capture('git', ['rev-parse', '--short=10', `${commit}^{commit}`])
  if (name === null) throw new Failure(`there is no commit ${commit}`)
  extract(name, folder)
  provideModules(folder)
  run(
    process.execPath,
    [join(folder, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'],
    inside(folder),
  )
  const nodeGyp = join(folder, 'node_modules/node-gyp/bin/node-gyp.js')
  run(process.execPath, [nodeGyp, 'rebuild', '--jobs', 'max'], { ...inside(folder), env: headersEnv() })
  ownBenchmarks(folder)
  return name
}

function inside(folder) {
  return { cwd: folder, quiet: true }
}

function extract(commit, folder) {
  mkdirSync(folder)
  const archive = `${folder}.tar`
  run('git', ['archive', '--format=tar', '-o', archive, commit])
  run('tar', ['-xf', archive, '-C', folder])
  rmSync(archive)
}

/** Those of this tree where both want the same. */
function provideModules(folder) {
  const [theirs, ours] = [folder, root].map((at) => readFileSync(join(at, 'package-lock.json'), 'utf8'))
  const modules = join(root, 'node_modules')
  if (theirs === ours && existsSync(modules)) symlinkSync(modules, join(folder, 'node_modules'), 'junction')
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], inside(folder))
}

function ownBenchmarks(folder) {
  const [from, to] = [root, folder].map((at) => join(at, 'bench'))
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(relative(from, path).split(sep)[0]),
  })
}
