/**
 * The layer check on planted trees: each rule broken once, by the smallest
 * file that breaks it, and a tree that keeps them all.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkLayers, RULES } from '../../scripts/check-layers.mjs'
import { checkTree } from '../../scripts/lib/layers.mjs'
import { tempDir } from '../support/temp-dir.js'

/** Writes the files below a fresh root and gives the breaches found there. */
function breachesOf(files: Record<string, string>): string[] {
  const root = tempDir()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return checkTree(root, RULES).breaches
}

test('a tree that keeps the rules has no breach', () => {
  const breaches = breachesOf({
    'lib/errors.ts': 'export const a = 1\n',
    'lib/base/clock.ts': 'export const now = () => Date.now()\nexport const later = setTimeout\n',
    'lib/base/hash.ts': "import { createHash } from 'node:crypto'\nexport { createHash }\n",
    'lib/format/varint.ts': "import { a } from '../errors.js'\nexport const b = a\n",
    'lib/backend/contract.ts': 'export interface Backend {}\n',
    'lib/backend/native.ts': "import load from 'node-gyp-build'\nexport { load }\n",
    'lib/backend/portable/files.ts': "import { openSync } from 'node:fs'\nexport { openSync }\n",
    'lib/backend/load.ts': "export * from './native.js'\nexport * from './portable/files.js'\n",
    'lib/log/state.ts': "import type { Backend } from '../backend/contract.js'\nexport type B = Backend\n",
    'lib/log/open-log.ts': "import { load } from '../backend/load.js'\nexport { load }\n",
    'lib/index.ts': "export { load } from './backend/load.js'\n",
    'native/core/crc.cc': '#include <cstdint>\n#include "core/crc.h"\n',
    'native/api/args.cc': '#include <napi.h>\n#include "core/crc.h"\n',
  })
  expect(breaches).toEqual([])
})

test.each([
  ['an arrow upward', 'lib/format/a.ts', "import { x } from '../log/b.js'", 'format may not import log'],
  ['an export upward', 'lib/segment/a.ts', "export { x } from '../log/b.js'", 'segment may not import log'],
  ['a type upward', 'lib/base/a.ts', "import type { X } from '../format/b.js'", 'base may not import format'],
  [
    'a dynamic import upward',
    'lib/log/a.ts',
    "await import('../manager/b.js')",
    'log may not import manager',
  ],
  ['a sibling layer', 'lib/checkpoint/a.ts', "import '../segment/b.js'", 'checkpoint may not import segment'],
  [
    'a worker upward',
    'lib/log/a.ts',
    "new URL('../cleaner/worker.js', import.meta.url)",
    'log may not import cleaner',
  ],
  ['a backend taken', 'lib/manager/a.ts', "import '../backend/native.js'", 'manager may not import native'],
  [
    'a backend taken by the index',
    'lib/index.ts',
    "export * from './backend/portable/b.js'",
    'may not import portable',
  ],
  [
    'one backend in the other',
    'lib/backend/native.ts',
    "import './portable/b.js'",
    'native may not import portable',
  ],
  ['a backend chosen', 'lib/log/a.ts', "import '../backend/load.js'", 'log may not import load'],
  ['a folder unknown', 'lib/utils/a.ts', "import '../errors.js'", 'belongs to no layer'],
  ['the machine', 'lib/log/a.ts', "import { openSync } from 'node:fs'", 'node:fs touches the machine'],
  ['the machine unprefixed', 'lib/log/a.ts', "import fs from 'fs'", 'node:fs touches the machine'],
  [
    'timers through a module',
    'lib/log/a.ts',
    "import 'node:timers/promises'",
    'node:timers/promises touches the machine',
  ],
  ['the file system in checkpoint', 'lib/checkpoint/a.ts', "import 'node:fs'", 'node:fs touches the machine'],
  ['crypto outside base', 'lib/log/a.ts', "import 'node:crypto'", 'node:crypto touches the machine'],
  ['a package', 'lib/format/a.ts', "import snappy from 'snappy'", 'package snappy may not be imported here'],
  ['the time', 'lib/log/a.ts', 'const t = Date.now()', 'Date.now is injected'],
  ['a timer', 'lib/manager/a.ts', 'const t = setTimeout(f, 1)', 'setTimeout is injected'],
  ['chance', 'lib/cleaner/a.ts', 'const t = Math.random()', 'Math.random is injected'],
  ['api in the native core', 'native/core/a.cc', '#include "../api/b.h"', 'may not include ../api/b.h'],
  ['Node in the native core', 'native/core/a.h', '#include <node_api.h>', 'may not include node_api.h'],
])('%s is a breach, named with file and line', (_, path, line, rule) => {
  const breaches = breachesOf({ [path]: `// first line\n${line}\n` })
  expect(breaches).toHaveLength(1)
  expect(breaches[0]).toContain(`${path}:2: `)
  expect(breaches[0]).toContain(rule)
})

test('words in comments and strings, and methods of an injected clock, are no breach', () => {
  const lines = [
    '/**',
    " * import { x } from '../manager/b.js'",
    ' */',
    "// import { y } from 'node:fs'; setTimeout(f)",
    "export const text = 'Date.now() and setTimeout('",
    'clock.setTimeout(() => {})',
  ]
  expect(breachesOf({ 'lib/log/a.ts': `${lines.join('\n')}\n` })).toEqual([])
})

test('an import over several lines counts at the line of its source', () => {
  const breaches = breachesOf({ 'lib/format/a.ts': "import {\n  x,\n  y,\n} from '../log/b.js'\n" })
  expect(breaches).toEqual(['lib/format/a.ts:4: format may not import log (log/b.ts)'])
})

test('a cycle of imports is a breach, once', () => {
  const breaches = breachesOf({
    'lib/log/a.ts': "import './b.js'\n",
    'lib/log/b.ts': "import './c.js'\n",
    'lib/log/c.ts': "import type { A } from './a.js'\nexport type C = A\n",
  })
  expect(breaches).toEqual(['lib/log/a.ts:1: import cycle: log/a.ts -> log/b.ts -> log/c.ts -> log/a.ts'])
})

test('300 lines are allowed, 301 are not', () => {
  expect(breachesOf({ 'lib/log/a.ts': '//\n'.repeat(300) })).toEqual([])
  expect(breachesOf({ 'lib/log/a.ts': '//\n'.repeat(301) })).toEqual([
    'lib/log/a.ts:301: 301 lines, at most 300 are allowed',
  ])
  expect(breachesOf({ 'native/core/a.cc': '//\n'.repeat(301) })).toHaveLength(1)
})

test('a breach fails the check with its text', () => {
  const root = tempDir()
  mkdirSync(join(root, 'lib/log'), { recursive: true })
  writeFileSync(join(root, 'lib/log/a.ts'), "import 'node:fs'\n")
  expect(() => checkLayers(root)).toThrow(/lib\/log\/a\.ts:1: node:fs touches/)
})
