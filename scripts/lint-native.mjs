/**
 * Lints native/: clang-format over every file (`--write` formats instead), and
 * clang-tidy over the core where clang-tidy is installed.
 *
 * clang-format comes from node_modules in one fixed version, so that everyone
 * formats alike. The core includes no Node header, so its flags are these few.
 */
import { existsSync, readdirSync } from 'node:fs'
import { arch } from 'node:os'
import { basename, join } from 'node:path'
import { capture, main, root, run, runTool } from './lib/run.mjs'

const TIDY_FLAGS = ['-std=c++20', '-Inative', '-Inative/core', '-fno-exceptions']
/** Files that build on one machine only; `uname -m` and the platform decide. */
const ELSEWHERE = [
  { files: /_windows\./, here: process.platform === 'win32' },
  { files: /_posix\./, here: process.platform !== 'win32' },
  { files: /_arm(64)?\./, here: arch() === 'arm64' },
  { files: /_x86(_64)?\./, here: arch() === 'x64' },
]

await main(() => {
  const files = sources('native')
  if (files.length === 0) return console.log('native: no sources')
  runTool('clang-format/index.js', [
    ...(process.argv.includes('--write') ? ['-i'] : ['--dry-run', '-Werror']),
    ...files,
  ])
  console.log(`clang-format: ${files.length} files`)
  if (!process.argv.includes('--write')) tidy(sources('native/core').filter(isBuiltHere))
})

function tidy(files) {
  const version = capture('clang-tidy', ['--version'])
  if (version === null) return console.log('clang-tidy: not installed, skipped')
  run('clang-tidy', ['--quiet', ...files, '--', ...TIDY_FLAGS])
  console.log(`clang-tidy ${/version (\S+)/.exec(version)?.[1]}: ${files.length} files`)
}

function sources(folder) {
  if (!existsSync(join(root, folder))) return []
  const names = readdirSync(join(root, folder), { recursive: true }).map(String).sort()
  return names.filter((name) => /\.(cc|h)$/.test(name)).map((name) => join(folder, name))
}

function isBuiltHere(path) {
  const name = basename(path)
  return name.endsWith('.cc') && ELSEWHERE.every(({ files, here }) => here || !files.test(name))
}
