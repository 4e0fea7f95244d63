/**
 * Holds the source tree to its architecture: `node scripts/check-layers.mjs [root]`.
 *
 * The rules are the tables below; lib/layers.mjs and lib/imports.mjs (beside
 * this script) only apply them. A breach names file, line and rule, and fails.
 * Layers are read top down: the first whose `files` match a path owns it, and a
 * layer may import itself and what its list names.
 */
import { resolve } from 'node:path'
import { checkTree } from './lib/layers.mjs'
import { Failure, main, root as ownRoot } from './lib/run.mjs'

const GROUND = ['errors', 'base', 'config']
const SEGMENT = [...GROUND, 'format', 'contract']
const LOG = [...SEGMENT, 'segment', 'checkpoint']
const CLEANER = [...LOG, 'log']
const MANAGER = [...CLEANER, 'open', 'cleaner', 'load', 'backend']

export const RULES = {
  layers: [
    { name: 'errors', files: /^errors\.ts$/, mayImport: [] },
    { name: 'base', files: /^base\//, mayImport: ['errors'] },
    { name: 'config', files: /^config(\.ts$|\/)/, mayImport: ['errors', 'base'] },
    { name: 'format', files: /^format\//, mayImport: GROUND },
    {
      name: 'contract',
      files: /^backend\/(contract|record-kernel)\.ts$/,
      mayImport: ['errors', 'base', 'format'],
    },
    // Whoever may import `load` chooses the backend; everyone else is handed one.
    {
      name: 'load',
      files: /^backend\/load\.ts$/,
      mayImport: ['errors', 'base', 'format', 'contract', 'backend', 'native', 'portable'],
    },
    {
      name: 'native',
      files: /^backend\/native(\.ts$|\/|-)/,
      mayImport: ['errors', 'base', 'format', 'contract', 'backend'],
    },
    {
      name: 'portable',
      files: /^backend\/portable(\.ts$|\/)/,
      mayImport: ['errors', 'base', 'format', 'contract', 'backend'],
    },
    { name: 'backend', files: /^backend\//, mayImport: ['errors', 'base', 'format', 'contract'] },
    { name: 'segment', files: /^segment\//, mayImport: SEGMENT },
    { name: 'checkpoint', files: /^checkpoint\//, mayImport: SEGMENT },
    { name: 'open', files: /^log\/open[^/]*\.ts$/, mayImport: [...LOG, 'log', 'load'] },
    { name: 'log', files: /^log\//, mayImport: LOG },
    { name: 'cleaner', files: /^cleaner\//, mayImport: CLEANER },
    { name: 'manager', files: /^manager\//, mayImport: MANAGER },
    { name: 'index', files: /^index\.ts$/, mayImport: [...MANAGER, 'manager'] },
    { name: 'cli', files: /^cli\//, mayImport: [...MANAGER, 'manager', 'index'] },
  ],

  /** Modules of Node that touch nothing outside of the process: allowed everywhere. */
  pureModules: ['buffer', 'events', 'diagnostics_channel', 'path', 'util', 'stream'],
  /** Where a module of Node that is not pure may be imported; `null` stands for any such module. */
  machineAllowed: [
    { module: 'crypto', files: /^base\// },
    // Its crc32 alone, a pure function.
    { module: 'zlib', files: /^format\/legacy\.ts$/ },
    // The threads of the cleaner, which is above the backends.
    { module: 'worker_threads', files: /^manager\/(worker-cleaner|cleaner-worker)\.ts$/ },
    { module: null, files: /^(backend\/|cli\/|checkpoint\/atomic-file\.ts$)/ },
  ],
  /** Where packages of node_modules may be imported. */
  packagesAllowed: /^(backend|cli)\//,

  /** Time and chance are injected; only these files may take them from the runtime. */
  ambient: /(?<![.\w])(setTimeout|setInterval|Date\.now|performance\.now|Math\.random)\b|new Date\(\)/,
  ambientAllowed: /^(base\/clock[^/]*\.ts$|manager\/scheduler[^/]*\.ts$|backend\/|cli\/)/,

  /** The native core is plain C++ that builds and is tested without Node. */
  nativeCore: /^(core|test)\//,
  nativeCoreForbidden: /^(.*\/)?api\/|^(node_api|js_native_api|napi|node|v8|uv)(-inl)?\.h$/,

  maxLines: 300,
  /** Files that may be longer, each with its reason. */
  longFiles: {
    'lib/backend/contract.ts': 'the whole boundary, documented in one place',
  },
}

/** @returns {string} one line of numbers; throws a Failure that lists every breach */
export function checkLayers(root, rules = RULES) {
  const { breaches, files, medianLines } = checkTree(root, rules)
  if (breaches.length > 0)
    throw new Failure([...breaches, `${breaches.length} breach(es) of the layers`].join('\n'))
  return `layers: ${files} files, median ${medianLines} lines, no breach`
}

if (process.argv[1] === import.meta.filename) {
  await main(() => console.log(checkLayers(process.argv[2] ? resolve(process.argv[2]) : ownRoot)))
}
