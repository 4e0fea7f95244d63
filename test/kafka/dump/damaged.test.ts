/** Both tools over files with faults in them: each kind alone, and indexes beside a log that has faults too. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { exceptionIn } from './support/compare.js'
import { type Damage, damage, damaged } from './support/damage.js'
import type { Dump } from './support/dump.js'
import { flagsFor } from './support/flags.js'
import { smallFiles } from './support/golden.js'
import { differencesOf, KafkaDump, ourDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

const one = fc.array(damage, { minLength: 1, maxLength: 3 })
const any = fc.array(damage, { maxLength: 2 })

/** A copy of the file with its siblings, in which these files of the segment have faults; gives its path. */
function damagedCopy(source: string, faults: Readonly<Record<string, readonly Damage[]>>): string {
  const directory = join(tempDir(), 'damaged-0')
  cpSync(dirname(source), directory, { recursive: true })
  const path = join(directory, basename(source))
  for (const [kind, some] of Object.entries(faults)) {
    const sibling = path.replace(/\w+$/, kind)
    writeFileSync(sibling, damaged(readFileSync(sibling), some))
  }
  return path
}

async function expectSame(path: string): Promise<void> {
  for (const flags of flagsFor(path)) expect(await differencesOf(kafka, path, flags)).toEqual([])
}

describe.each([
  ['log', 40],
  ['index', 40],
  ['timeindex', 40],
  ['txnindex', 30],
  ['snapshot', 30],
] as const)('.%s', (kind, runs) => {
  it('prints the same whatever is wrong with it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.noBias(fc.constantFrom(...smallFiles(kind))), one, async (source, faults) => {
        await expectSame(damagedCopy(source, { [kind]: faults }))
      }),
      fcOptions(runs),
    )
  })
})

it('prints the same of indexes beside files with faults', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.noBias(fc.constantFrom(...smallFiles('timeindex'))),
      ...([any, any, any] as const),
      async (source, log, index, timeindex) => {
        const path = damagedCopy(source, { log, index, timeindex })
        await expectSame(path)
        await expectSame(path.replace(/timeindex$/, 'index'))
      },
    ),
    fcOptions(30),
  )
})

it('goes on behind a batch at which Kafka ends', async () => {
  let ended = 0
  const faults = fc.array(damage, { minLength: 1, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(fc.noBias(fc.constantFrom(...smallFiles('log'))), faults, async (source, some) => {
      const path = damagedCopy(source, { log: some })
      const flags = ['--print-data-log']
      const theirs = await kafka.dump(['--files', path, ...flags])
      if (exceptionIn(theirs) === undefined) return
      const behind = positionBehind(theirs, readFileSync(path))
      if (behind === undefined) return
      ended++
      const rest = join(tempDir(), basename(path))
      writeFileSync(rest, readFileSync(path).subarray(behind))
      expect(await differencesOf(kafka, rest, flags)).toEqual([])
      const ours = (await ourDump([path, ...flags], 'native')).stdout.toString('latin1')
      expect(ours.endsWith(await batchesOf(rest, behind, flags))).toBe(true)
    }),
    fcOptions(120),
  )
  expect(ended).toBeGreaterThan(0)
})

/** Where the batch ends that Kafka printed last; undefined if it came to no batch or knows no end of the next. */
function positionBehind({ stdout }: Dump, bytes: Buffer): number | undefined {
  const last = [
    ...stdout.toString('latin1').matchAll(/^(?:baseOffset|offset): .* position: (\d+) .* size: (\d+) /gm),
  ].at(-1)
  const end = Number(last?.[1]) + Number(last?.[2])
  return end < bytes.length ? end : undefined
}

/** What we print of the batches in a file, as if so many bytes lay before it. */
async function batchesOf(path: string, bytesBefore: number, flags: readonly string[]): Promise<string> {
  const { stdout } = await ourDump([path, ...flags], 'portable')
  const batches = stdout.toString('latin1').split('\n').slice(2).join('\n')
  return batches.replace(
    /^((?:baseOffset|offset): .* position: )(\d+)/gm,
    (_, before: string, position: string) => `${before}${Number(position) + bytesBefore}`,
  )
}
