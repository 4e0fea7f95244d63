/**
 * What this machine has for building the addon: compiler, headers, node-gyp.
 *
 * Looks and answers; installs nothing and downloads nothing itself.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capture, root, runTool } from './run.mjs'

/** @returns {string | null} the first C++ compiler that runs; `CXX` alone counts where it is set */
export function findCompiler() {
  if (process.platform === 'win32') return findVisualStudio()
  const names = process.env.CXX ? [process.env.CXX] : ['c++', 'g++', 'clang++']
  return names.find((name) => runs(name)) ?? null
}

/** @returns {string | null} what is missing for `node-gyp`; null where nothing is */
export function missingForNativeBuild() {
  if (findCompiler() === null) return 'no C++ compiler'
  if (process.platform === 'win32') return null
  if (!runs('make')) return 'a C++ compiler but no make'
  return runs('python3') ? null : 'a C++ compiler but no python3, which node-gyp needs'
}

/** Compiles into build/Release what changed since the last build. */
export function buildAddon() {
  const args = ['configure', 'build', '--jobs', 'max', '--loglevel', 'warn']
  runTool('node-gyp/bin/node-gyp.js', args, { env: headersEnv() })
}

/**
 * Where node-gyp finds Node's headers: npm's `nodedir`, else those that came
 * with this Node; with neither, node-gyp downloads them as it always does.
 */
export function headersEnv() {
  const configured = process.env.npm_config_nodedir || npmConfig('nodedir')
  const beside = dirname(dirname(process.execPath))
  const nodedir = configured ?? (existsSync(join(beside, 'include/node/node_api.h')) ? beside : null)
  return nodedir === null ? {} : { npm_config_nodedir: nodedir }
}

function npmConfig(key) {
  const value = capture('npm', ['config', 'get', key]) ?? ''
  return ['', 'undefined', 'null'].includes(value) ? null : value
}

function runs(command) {
  const [program, ...args] = command.trim().split(/\s+/)
  return capture(program, [...args, '--version'], { cwd: root }) !== null
}

function findVisualStudio() {
  const programs = process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)'
  const vswhere = join(programs, 'Microsoft Visual Studio/Installer/vswhere.exe')
  const found = capture(vswhere, [
    '-products',
    '*',
    '-requires',
    'Microsoft.VisualStudio.Component.VC.Tools.x86.x64',
    '-property',
    'installationPath',
  ])
  return found || null
}
