/**
 * Lints native/: clang-format over every file (`--write` formats instead), and
 * clang-tidy over the core where clang-tidy is installed.
 *
 * clang-format comes from node_modules in one fixed version, so that everyone
 * formats alike. The core includes no Node header, so its flags are these few.
 */
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { capture, main, root, run } from './lib/run.mjs'

const TIDY_FLAGS = ['-std=c++20', '-Inative', '-Inative/core', '-fno-exceptions']
const [onX64, onArm64] = ['x64', 'arm64'].map((arch) => process.arch === arch)
/** Files that build on some machines only. */
const ELSEWHERE = [
  { files: /_windows\./, here: process.platform === 'win32' },
  { files: /_(posix|unix)\./, here: process.platform !== 'win32' },
  { files: /_linux\./, here: process.platform === 'linux' },
  { files: /_darwin\./, here: process.platform === 'darwin' },
  { files: /_x86\./, here: onX64 },
  { files: /_arm64\./, here: onArm64 },
  { files: /_other\./, here: !onX64 && !onArm64 },
]

await main(() => {
  const files = sources('native')
  if (files.length === 0) return console.log('native: no sources')
  const write = process.argv.includes('--write')
  format(files, write ? ['-i'] : ['--dry-run', '-Werror'])
  if (!write) tidy(sources('native/core').filter(isBuiltHere))
})

function format(files, options) {
  const command = clangFormat()
  if (command === null) return console.log('clang-format: has no binary for this platform, skipped')
  run(command, [...options, ...files])
  console.log(`clang-format: ${files.length} files`)
}

/** @returns {string | null} the binary that the npm package brings for this platform */
function clangFormat() {
  try {
    return createRequire(import.meta.url)('clang-format').getNativeBinary()
  } catch {
    return null // it throws where it has none
  }
}

function tidy(files) {
  const version = capture('clang-tidy', ['--version'])
  if (version === null) return console.log('clang-tidy: not installed, skipped')
  run('clang-tidy', ['--quiet', ...files, '--', ...TIDY_FLAGS], { quiet: true })
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
