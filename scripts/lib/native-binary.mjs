/**
 * Which sources an addon was built from.
 *
 * Every binary carries `PARTITION_LOG_SOURCE_HASH=<hex>`, the hash of native/
 * at build time; `treeHash` is that of the tree as it is now. Equal hashes mean
 * that the binary is current. Nothing here loads a binary.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './run.mjs'

const MARKER = /PARTITION_LOG_SOURCE_HASH=([0-9a-f]{8,128})/

/** @returns {string | null} the hash inside the binary; null where there is no file or no mark */
export function embeddedHash(/** @type {string | null} */ path) {
  if (path === null || !existsSync(path)) return null
  return MARKER.exec(readFileSync(path, 'latin1'))?.[1] ?? null
}

/** @returns {string} the hash of the native sources as they are now */
export function treeHash() {
  return createRequire(import.meta.url)('../native-hash.cjs').nativeHash()
}

/** @returns {string | null} what node-gyp left in build/Release */
export function builtAddon() {
  return addonsIn('build/Release')[0] ?? null
}

/** @returns {string[]} every binary that the package would ship */
export function prebuiltAddons() {
  return addonsIn('prebuilds')
}

/** @returns {string | null} the prebuilt binary that node-gyp-build chooses on this machine */
export function prebuiltAddonHere() {
  const code = "try { console.log(require('node-gyp-build').path(process.argv[1])) } catch {}"
  const env = { ...process.env, PREBUILDS_ONLY: '1' }
  return (
    execFileSync(process.execPath, ['-e', code, root], { cwd: root, env, encoding: 'utf8' }).trim() || null
  )
}

function addonsIn(folder) {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  const names = readdirSync(path, { recursive: true }).map(String).sort()
  return names
    .filter((name) => name.endsWith('.node') && !name.includes('obj.target'))
    .map((name) => join(path, name))
}
