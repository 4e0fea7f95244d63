import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, it } from 'vitest'
import { tempDir } from '../../support/temp-dir.js'
import { differences } from './support/compare.js'
import { damage, damaged } from './support/damage.js'
import { flagsFor } from './support/flags.js'
import { KafkaDump, ourDump } from './support/tools.js'
const golden = resolve(import.meta.dirname, '../../golden')
const kafka = new KafkaDump()
afterAll(() => kafka.close())
const partitions = readdirSync(golden, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /-0$/.test(entry.name) && !join(entry.parentPath).includes('/expected'))
  .map((entry) => join(entry.parentPath, entry.name))
const kind = process.env.KIND ?? 'log'
it('explores', async () => {
  const sources = partitions.flatMap((p) => readdirSync(p).filter((n) => n.endsWith(`.${kind}`)).map((n) => join(p, n))).filter((path) => readFileSync(path).length < 20_000)
  const seen = new Map<string, number>()
  let out = ''
  const arb = fc.tuple(fc.noBias(fc.constantFrom(...sources)), fc.array(damage, { minLength: 1, maxLength: Number(process.env.FAULTS ?? 3) }))
  for (const [source, some] of fc.sample(arb, Number(process.env.RUNS ?? 200))) {
    const directory = tempDir()
    cpSync(join(source, '..'), directory, { recursive: true })
    const path = join(directory, source.slice(source.lastIndexOf('/') + 1))
    writeFileSync(path, damaged(readFileSync(source), some))
    for (const flags of flagsFor(path)) {
      const args = ['--files', path, ...flags]
      const theirs = await kafka.dump(args)
      const ours = await ourDump(args, 'portable')
      const d = differences(path, theirs, ours)
      if (d.length === 0) continue
      const key = d.join('|').replaceAll(directory, '').replace(/-?[0-9]+/g, 'N').replace(/true|false/g, 'B').slice(0, 200)
      seen.set(key, (seen.get(key) ?? 0) + 1)
      if (seen.get(key) === 1) out += `\n### ${flags} ${JSON.stringify(some)} ${source}\n${d.join('\n').slice(0, 1500)}\nKAFKA ERR ${theirs.stderr.slice(0, 300)}\nOUR ERR ${ours.stderr.slice(0, 400)}\n`
    }
    rmSync(directory, { recursive: true })
  }
  writeFileSync('/tmp/dx/explore.txt', `${[...seen.values()]}\n${out}`)
}, 600_000)
