/**
 * `npm run bench:report`: tables and plots of docs/benchmarks.md and the
 * README's table, made of bench/results (or `--results DIRECTORY`). `--check`
 * changes nothing and fails where a document is not what the results make of it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../scripts/lib/run.mjs'
import { providePackages } from './lib/peers.mjs'
import { readResults } from './lib/results.mjs'
import { loadRows } from './lib/rows.mjs'
import { DOCUMENTS, PLOTS, partsOf, withParts } from './report/documents.mjs'

const { values } = parseArgs({
  options: {
    results: { type: 'string', default: join(root, 'bench/results') },
    check: { type: 'boolean', default: false },
  },
})
const { parts, plots } = partsOf(await loadRows(), readResults(values.results))
for (const document of DOCUMENTS) update(join(root, document))
if (!values.check) await draw()

function update(path) {
  const before = readFileSync(path, 'utf8')
  const after = withParts(before, parts)
  if (after === before) return
  if (values.check) throw new Error(`${path} is not what bench/results makes of it: npm run bench:report`)
  writeFileSync(path, after)
}

async function draw() {
  const folder = join(root, PLOTS)
  const missing = plots.length === 0 ? [] : providePackages(['vega', 'vega-lite'], console.error)
  if (missing.length > 0) throw new Error(`plots need ${missing.join(' and ')}: npm ci --prefix bench`)
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  if (plots.length === 0) return
  const { svgOf } = await import('./report/svg.mjs')
  for (const { name, spec } of plots) writeFileSync(join(folder, `${name}.svg`), await svgOf(spec))
}
