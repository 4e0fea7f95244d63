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

/** Cases that are not compared. */
const LEFT_OUT: Readonly<Record<string, string>> = {}

beforeAll(() => process.chdir(golden))
afterAll(() => process.chdir(before))

describe('kafka-dump-log', () => {
  for (const { name, stdout, args } of cases) {
    if (name in LEFT_OUT) continue
    it(name, async () => {
      const result = await plog(['dump', ...args])
      const expected = readFileSync(`${golden}/${stdout}`)
      if (!result.stdout.equals(expected)) expect(result.stdout.toString('latin1')).toBe(expected.toString('latin1'))
    })
  }
})
