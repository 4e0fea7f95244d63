/** Both tools over segments with faults in them. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { differences } from './support/compare.js'
import { damage, damaged } from './support/damage.js'
import { flagsFor } from './support/flags.js'
import { BACKENDS, KafkaDump, ourDump } from './support/tools.js'

const golden = resolve(import.meta.dirname, '../../golden')
const kafka = new KafkaDump()
afterAll(() => kafka.close())

const partitions = readdirSync(golden, { recursive: true, withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && /-0$/.test(entry.name) && !join(entry.parentPath).includes('/expected'),
  )
  .map((entry) => join(entry.parentPath, entry.name))

function filesOf(kind: string): string[] {
  return partitions.flatMap((partition) =>
    readdirSync(partition)
      .filter((name) => name.endsWith(`.${kind}`))
      .map((name) => join(partition, name)),
  )
}

describe.each(['log', 'index', 'timeindex', 'txnindex', 'snapshot'])('.%s', (kind) => {
  it('prints the same whatever is wrong with it', async () => {
    const sources = filesOf(kind).filter((path) => readFileSync(path).length < 20_000)
    const faults = fc.array(damage, { minLength: 1, maxLength: 3 })
    let different = 0
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sources), faults, async (source, some) => {
        const directory = tempDir()
        cpSync(join(source, '..'), directory, { recursive: true })
        const path = join(directory, source.slice(source.lastIndexOf('/') + 1))
        writeFileSync(path, damaged(readFileSync(source), some))
        for (const flags of flagsFor(path)) {
          const args = ['--files', path, ...flags]
          const theirs = await kafka.dump(args)
          for (const backend of BACKENDS) {
            const ours = await ourDump(args, backend)
            const d = differences(path, theirs, ours)
            if (process.env.EXPLORE) {
              if (d.length && backend === 'portable') {
                different++
                const key = d
                  .join('|')
                  .replace(/[0-9]+/g, 'N')
                  .slice(0, 250)
                if (!seen.has(key))
                  console.log(flags, some, source, d, theirs.stderr.slice(0, 300), ours.stderr.slice(0, 300))
                seen.set(key, 1)
              }
            } else expect({ args, differences: d }).toEqual({ args, differences: [] })
          }
        }
      }),
      fcOptions(100),
    )
    if (different) throw new Error('different')
  })
})
