/**
 * `npm run native:prebuild`: builds this machine's file of prebuilds/.
 *
 * On Linux with glibc it compiles with zig, so that the file runs wherever
 * Node 20 does (glibc 2.28); with g++ where zig cannot be had, and says so.
 * Always true: the file it leaves needs no newer glibc and carries the hash of
 * this tree. It builds in a copy of the sources: build/ is never touched.
 */
import { cpSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { inspect, newerThan } from './lib/elf.mjs'
import { embeddedHash, prebuiltAddonHere, treeHash } from './lib/native-binary.mjs'
import { capture, Failure, main, root, runTool, step } from './lib/run.mjs'
import { headersEnv } from './lib/toolchain.mjs'

const GLIBC_FLOOR = '2.28' // what the official Node 20 binary needs
/** zig forbids the CRC32 instruction unless asked, even in functions that are marked for SSE4.2. */
const ZIG = {
  version: '0.17.1',
  targets: { x64: 'x86_64', arm64: 'aarch64' },
  flags: { x64: ' -mcrc32', arm64: '' },
}
const SOURCES = ['package.json', 'binding.gyp', 'native', 'scripts/native-hash.cjs']
const cache = join(root, 'node_modules/.cache/partition-log')

await main(async () => {
  const onGlibc =
    process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime !== undefined
  const env = onGlibc ? await step('zig', zigEnv) : {}
  await step('compile', () => compile({ ...headersEnv(), ...env }))
  const file = prebuiltAddonHere()
  if (file === null) throw new Failure('node-gyp-build finds no prebuilt binary for this machine')
  console.log(`${relative(root, file)}: ${statSync(file).size} bytes`)
  if (embeddedHash(file) !== treeHash())
    throw new Failure(`${file} does not carry the hash of this tree: did native/ change meanwhile?`)
  if (onGlibc) checkNeeds(file)
})

/** Compiles a copy of the sources, which finds its packages in the node_modules it lies in. */
function compile(env) {
  const copy = join(cache, 'prebuild')
  rmSync(copy, { recursive: true, force: true })
  for (const name of SOURCES) cpSync(join(root, name), join(copy, name), { recursive: true })
  const args = ['--napi', '--strip', '--tag-libc', '--target', '20.0.0', '--cwd', copy, '--out', root]
  runTool('prebuildify/bin.js', args, {
    cwd: copy,
    env: { ...env, JOBS: 'max', npm_config_loglevel: 'warn' },
  })
}

/** @returns {object} CC and CXX for zig from PyPI, in a venv of our own; empty where it cannot be had */
function zigEnv() {
  const venv = join(cache, `zig-${ZIG.version}`)
  const python = join(venv, 'bin/python')
  const target = ZIG.targets[process.arch]
  if (target === undefined || (!existsSync(python) && !installZig(venv, python))) {
    console.log('zig cannot be had: compiling with the compiler of this machine')
    return {}
  }
  const command = (name) =>
    `${python} -m ziglang ${name} -target ${target}-linux-gnu.${GLIBC_FLOOR}${ZIG.flags[process.arch]}`
  return { CC: command('cc'), CXX: command('c++') }
}

/** @returns {boolean} whether zig runs from the venv now */
function installZig(venv, python) {
  mkdirSync(cache, { recursive: true })
  const ready =
    capture('python3', ['-m', 'venv', venv]) !== null &&
    capture(python, ['-m', 'pip', 'install', '--quiet', `ziglang==${ZIG.version}`]) !== null &&
    capture(python, ['-m', 'ziglang', 'version']) !== null
  if (!ready) rmSync(venv, { recursive: true, force: true })
  return ready
}

function checkNeeds(file) {
  const { libraries, versions } = inspect(file)
  console.log(`needs ${libraries.join(', ')}; ${versions.join(', ')}`)
  const tooNew = newerThan(versions, 'GLIBC', GLIBC_FLOOR)
  if (tooNew.length > 0)
    throw new Failure(`needs ${tooNew.join(', ')}, but at most GLIBC_${GLIBC_FLOOR} is allowed`)
}
