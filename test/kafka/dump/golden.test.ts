/** Both tools over every file under test/golden, with every flag. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { differences } from './support/compare.js'
import { BACKENDS, KafkaDump, ourDump } from './support/tools.js'

const golden = resolve(import.meta.dirname, '../../golden')
const kafka = new KafkaDump()
afterAll(() => kafka.close())

const LOG_FLAGS = [
  [],
  ['--deep-iteration'],
  ['--print-data-log'],
  ['--print-data-log', '--skip-record-metadata'],
  ['--deep-iteration', '--skip-record-metadata'],
  ['--max-bytes', '700', '--print-data-log'],
  ['--key-decoder-class'],
  ['--offsets-decoder'],
  ['--transaction-log-decoder', '--skip-record-metadata'],
]
const INDEX_FLAGS = [
  [],
  ['--index-sanity-check'],
  ['--verify-index-only'],
  ['--index-sanity-check', '--verify-index-only'],
]

const files = readdirSync(golden, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !join(entry.parentPath).includes('/expected'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !/checkpoint$|partition\.metadata$/.test(path))

describe.each(files)('%s', (path) => {
  const flags = path.endsWith('.log') ? LOG_FLAGS : /index$/.test(path) ? INDEX_FLAGS : [[]]
  it.each(flags.map((some) => some))('%j', async (...some) => {
    const args = ['--files', path, ...some]
    const theirs = await kafka.dump(args)
    for (const backend of BACKENDS)
      expect(differences(path, theirs, await ourDump(args, backend))).toEqual([])
  })
})
