/**
 * `node scripts/native-test.mjs [seconds]`: the native core's tests and its
 * fuzzing (60 seconds unless said otherwise) with address and undefined
 * behaviour sanitizers. Needs a C++ compiler, with cmake or without; no Node
 * headers. `SEED=n` runs that one round of the fuzzing. Exit code 1: a fault.
 */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { capture, Failure, main, root, run, step } from './lib/run.mjs'
import { findCompiler } from './lib/toolchain.mjs'

const FLAGS = ['-std=c++20', '-O1', '-g', '-Wall', '-Wextra', '-fno-omit-frame-pointer', '-pthread']
const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined']
const folder = join(root, 'build-native-test')

await main(async () => {
  const seconds = process.argv[2] ?? '60'
  const hasCmake = capture('cmake', ['--version']) !== null
  await step('build', () => (hasCmake ? buildWithCmake() : buildDirectly()))
  await step('core tests', () => run(join(folder, 'core_test'), []))
  const seed = process.env.SEED
  await step('fuzzing', () => run(join(folder, 'core_fuzz'), seed === undefined ? [seconds] : ['0', seed]))
})

function buildWithCmake() {
  run('cmake', ['-S', root, '-B', folder, '-DSANITIZE=ON', '-DCMAKE_BUILD_TYPE=RelWithDebInfo'])
  run('cmake', ['--build', folder, '--target', 'core_test', 'core_fuzz'])
}

function buildDirectly() {
  const compiler = findCompiler()
  if (compiler === null || process.platform === 'win32')
    throw new Failure('this needs cmake or a C++ compiler')
  mkdirSync(folder, { recursive: true })
  const core = sources('native/core').filter(isBuiltHere)
  const support = [...core, 'native/test/memory_disk.cc']
  const tests = sources('native/test').filter((file) => file.endsWith('_test.cc'))
  const build = (name, files) =>
    run(compiler, [...FLAGS, ...SANITIZERS, ...support, ...files, '-o', join(folder, name)])
  build('core_test', ['native/test/main.cc', ...tests])
  build('core_fuzz', ['native/test/fuzz.cc'])
}

function sources(path) {
  const names = readdirSync(join(root, path)).sort()
  return names.filter((name) => name.endsWith('.cc')).map((name) => `${path}/${name}`)
}

/** As binding.gyp and CMakeLists.txt choose: by the name's last part. */
function isBuiltHere(file) {
  const tag = /_(posix|linux|darwin|windows|x86|arm64|other)\.cc$/.exec(file)?.[1]
  if (tag === undefined || tag === 'posix') return true
  const platform = { linux: 'linux', darwin: 'darwin', windows: 'win32' }[tag]
  if (platform !== undefined) return platform === process.platform
  const processor = { x64: 'x86', arm64: 'arm64' }[process.arch] ?? 'other'
  return tag === processor
}
