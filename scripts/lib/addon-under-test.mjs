/**
 * The addon that the tests run on: built from this tree, or not at all.
 */
import { builtAddon, embeddedHash, prebuiltAddonHere, treeHash } from './native-binary.mjs'
import { Failure } from './run.mjs'
import { buildAddon, missingForNativeBuild } from './toolchain.mjs'

/** @returns {'build' | 'prebuild' | null} where the native backend under test comes from; null: it cannot run, as a line says */
export function prepareAddon() {
  const missing = missingForNativeBuild()
  if (missing === null) return buildIfStale()
  const path = prebuiltAddonHere()
  if (path !== null && embeddedHash(path) === treeHash()) {
    console.log(`${missing}: the native tests run on the prebuilt binary, which was built from this tree`)
    return 'prebuild'
  }
  const why =
    path === null ? 'no prebuilt binary for this machine' : 'the prebuilt binary is not from this tree'
  console.log(`${missing}, and ${why}: only the portable backend is tested`)
  return null
}

function buildIfStale() {
  const wanted = treeHash()
  if (embeddedHash(builtAddon()) === wanted) {
    console.log('build/Release is current')
    return 'build'
  }
  buildAddon()
  if (embeddedHash(builtAddon()) !== wanted)
    throw new Failure('the addon just built does not carry the hash of this tree')
  return 'build'
}
