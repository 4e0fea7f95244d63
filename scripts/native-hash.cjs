/**
 * The hash of the sources that a native binary is made from: SHA-256 over path
 * and content (LF line ends) of binding.gyp, native/addon.cc, native/api and
 * native/core, sorted by path. Builds store it in the binary; the loader
 * compares it, so that a binary made from other sources is never used.
 * Run as a script it prints the hash; it does not care for the current folder.
 */
'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

/** Paths that count, relative to the package's root. */
const SOURCES = ['binding.gyp', 'native/addon.cc', 'native/api', 'native/core']

/** Hex digest; undefined where `root` (this package's, unless given) has no native sources. */
function nativeHash(root = path.join(__dirname, '..')) {
  if (!fs.existsSync(path.join(root, 'native', 'addon.cc'))) return undefined
  const hash = createHash('sha256')
  for (const file of SOURCES.flatMap((source) => filesOf(root, source)).sort()) {
    const content = fs.readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n')
    hash.update(`${file}\0${Buffer.byteLength(content)}\0${content}`)
  }
  return hash.digest('hex')
}

function filesOf(root, source) {
  const full = path.join(root, source)
  if (!fs.statSync(full).isDirectory()) return [source]
  return fs.readdirSync(full).flatMap((name) => filesOf(root, `${source}/${name}`))
}

module.exports = { nativeHash }

if (require.main === module) console.log(nativeHash())
