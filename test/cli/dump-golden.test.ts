/** `plog dump` against what Kafka 4.4.0's own tool printed of the same files. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plog } from '../support/cli.js'

interface Case {
  readonly name: string
  readonly stdout: string
  readonly exitCode: number
  readonly args: readonly string[]
  readonly stderr: readonly string[]
}

const golden = resolve(import.meta.dirname, '../golden')
const cases: Case[] = JSON.parse(readFileSync(`${golden}/dump/cases.json`, 'utf8'))
const before = process.cwd()

/** Where our stdout is meant to be another, and why; docs/cli.md says the same. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'damaged-index-position-index': 'Kafka ends with a stack trace at the entry; we tell of it and go on',
  'call-missing-file-first': 'Kafka ends with a stack trace; we go on with the next file',
  'call-help': 'help is asked for, so it is printed on stdout and exits with 0',
  'call-version': 'our version, not that of Kafka',
}

/** Exit codes that are not 0, by our rules: 1 damage, 2 wrong usage, 3 I/O. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  'damaged-crc': 1,
  'damaged-torn': 1,
  'damaged-length': 1,
  'damaged-zeros': 1,
  'damaged-index-position-index': 1,
  'damaged-index-position-index-verify-only': 1,
  'damaged-index-offset-index': 1,
  'damaged-index-offset-index-verify-only': 1,
  'damaged-index-length-index-sanity': 1,
  'damaged-index-below-base-index': 1,
  'damaged-index-below-base-index-sanity': 1,
  'damaged-index-below-base-index-verify-only': 1,
  'damaged-timeindex-order-timeindex': 1,
  'damaged-timeindex-order-timeindex-verify-only': 1,
  'damaged-timeindex-offset-timeindex': 1,
  'damaged-timeindex-offset-timeindex-verify-only': 1,
  'damaged-index-preallocated-timeindex-sanity': 1,
  'damaged-index-length-timeindex-sanity': 1,
  'call-no-arguments': 2,
  'call-unknown-option': 2,
  'call-missing-file': 3,
  'call-missing-file-first': 3,
  'call-name-is-no-offset': 2,
  'call-no-extension': 2,
  'call-unknown-suffix': 2,
}

beforeAll(() => process.chdir(golden))
afterAll(() => process.chdir(before))

describe('in place of kafka-dump-log', () => {
  for (const { name, stdout, args, stderr, exitCode } of cases) {
    it(name, async () => {
      const result = await plog(['dump', ...args])
      expect(result.exitCode).toBe(EXIT_CODES[name] ?? 0)
      const expected = readFileSync(`${golden}/${stdout}`)
      if (name in DIFFERENT) expect(result.stdout.equals(expected)).toBe(false)
      else if (!result.stdout.equals(expected))
        expect(result.stdout.toString('latin1')).toBe(expected.toString('latin1'))
      // Where Kafka ends in an exception the words are its JVM's.
      if (exitCode === 0 && !(name in DIFFERENT))
        expect(result.stderr).toBe(stderr.map((line) => `${line}\n`).join(''))
    })
  }
})
