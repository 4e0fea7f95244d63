/**
 * Fails when a file of prebuilds/ was not built from this tree, so that no
 * release ships a binary older than its sources. It loads none of them, hence
 * judges those of other platforms too.
 */
import { relative } from 'node:path'
import { embeddedHash, prebuiltAddons, treeHash } from './lib/native-binary.mjs'
import { Failure, main, root } from './lib/run.mjs'

await main(() => {
  const wanted = treeHash()
  const files = prebuiltAddons()
  const stale = files.filter((file) => embeddedHash(file) !== wanted)
  for (const file of files)
    console.log(`${relative(root, file)}: ${stale.includes(file) ? 'STALE' : 'current'}`)
  if (files.length === 0) throw new Failure('prebuilds/ is empty: run npm run native:prebuild')
  if (stale.length > 0) throw new Failure('stale prebuilds: run npm run native:prebuild')
})
