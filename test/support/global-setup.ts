/**
 * Says once for each backend what is about to be tested.
 *
 * Under `npm test` (which sets `PARTITION_LOG_EXPECT`) it also proves it: the
 * addon that loads is the file that was meant, and it was built from this tree.
 * Without that a stale binary could pass every test.
 */
import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import type { TestProject } from 'vitest/node'
import { loadBackend } from '../../lib/backend/load.js'
import { embeddedHash, treeHash } from '../../scripts/lib/native-binary.mjs'

const root = realpathSync(resolve(import.meta.dirname, '../..'))

const BACKENDS = ['native', 'portable'] as const

/** Folder that the addon must come from, by what `npm test` found it could run. */
const FOLDERS: Record<string, string> = { build: 'build/Release', prebuild: 'prebuilds' }

export default function setup(project: TestProject): void {
  // The tests beside Kafka drive both.
  for (const name of BACKENDS) if (project.name === name || project.name === 'kafka') prove(name)
}

function prove(name: (typeof BACKENDS)[number]): void {
  const expected = process.env.PARTITION_LOG_EXPECT
  try {
    const { backend, reason } = loadBackend(name)
    if (backend.name !== name)
      throw new Error(`asked for the ${name} backend, got ${backend.name}: ${reason}`)
    console.log(`backend ${name}: ${reason}`)
    if (name === 'native' && expected !== undefined) proveAddon(FOLDERS[expected] ?? expected)
  } catch (error) {
    // Outside of `npm test` a missing addon is no reason to stop the tests of pure modules.
    if (expected !== undefined) throw error
    console.warn(`backend ${name}: does not load, tests that need it will fail: ${String(error)}`)
  }
}

function proveAddon(folder: string): void {
  const addons = sharedObjects().filter((path) => path.startsWith(root + sep) && isOurs(relative(root, path)))
  const [addon] = addons
  if (addons.length !== 1 || addon === undefined) throw new Error(`expected one addon, loaded: ${addons}`)
  if (!addon.startsWith(join(root, folder) + sep))
    throw new Error(`the addon is not from ${folder}: ${addon}`)
  if (embeddedHash(addon) !== treeHash()) throw new Error(`${addon} was not built from this tree`)
  console.log(`backend native: ${relative(root, addon)}, built from this tree`)
}

/** Not a codec's addon below node_modules/. */
function isOurs(path: string): boolean {
  return path.endsWith('.node') && !path.startsWith(`node_modules${sep}`)
}

/** The libraries mapped into this process, by the runtime's own account. */
function sharedObjects(): string[] {
  return (process.report.getReport() as unknown as { sharedObjects: string[] }).sharedObjects
}
