/**
 * The packages that rows compare with, and what draws the plots: bench/ has a
 * package.json and a lock file of its own, installed when something of it is
 * needed and not there.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { capture } from '../../scripts/lib/run.mjs'
import { headersEnv } from '../../scripts/lib/toolchain.mjs'

const bench = resolve(import.meta.dirname, '..')
const require = createRequire(resolve(bench, 'package.json'))

/** Installs `packages` if any that bench/package.json names is missing. @returns those that are still missing */
export function providePackages(packages, say) {
  const { dependencies } = require('./package.json')
  const listed = packages.filter((name) => dependencies[name] !== undefined)
  if (listed.every(isThere)) return packages.filter((name) => !isThere(name))
  say('installing what bench/package.json names')
  const done = capture('npm', ['ci', '--no-audit', '--no-fund'], { cwd: bench, env: headersEnv() })
  if (done === null) say('npm ci in bench/ failed')
  return packages.filter((name) => !isThere(name))
}

function isThere(name) {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}
