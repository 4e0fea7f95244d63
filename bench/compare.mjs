/**
 * `npm run bench:compare -- COMMIT_A COMMIT_B [ROW,FAMILY,…]`: two commits
 * beside one another on this machine. Both are built in a temporary folder;
 * the quick rows (or those named) run on the native backend of each in turns,
 * on the same data; and the native core's instructions are counted where
 * valgrind is there. Ratios above 1 say that B is better.
 *
 * --rounds N (5), --size full|short|smoke (short), --no-counts, --no-rows.
 * The tree that it is called in has to be built: data sets are made with it.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Failure, main, step } from '../scripts/lib/run.mjs'
import { buildCommit } from './lib/commit-tree.mjs'
import { comparisonTable, countsTable } from './lib/comparison.mjs'
import { startWorker } from './lib/contenders.mjs'
import { DataSets } from './lib/data-sets.mjs'
import { countInstructions, missingForCounts } from './lib/instruction-counts.mjs'
import { loadRows, optionsOf, selectRows } from './lib/rows.mjs'
import { runRow } from './lib/runner.mjs'
import { openTempFolder } from './lib/temp-folder.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    size: { type: 'string', default: 'short' },
    'no-counts': { type: 'boolean', default: false },
    'no-rows': { type: 'boolean', default: false },
  },
})
const [commitA, commitB, names] = positionals
const { size } = values

await main(async () => {
  if (commitB === undefined) throw new Failure('two commits are needed')
  const rows = selectRows(await loadRows(), { only: names?.split(',') ?? null, size })
  const above = openTempFolder()
  const sides = []
  for (const [side, commit] of Object.entries({ A: commitA, B: commitB })) {
    const tree = join(above, side)
    const name = await step(`build of ${side}, ${commit}`, () => buildCommit(commit, tree))
    sides.push({ side, tree, contender: `${side} native`, name })
  }
  console.log(sides.map(({ side, name }) => `${side}: ${name}`).join(', '))
  if (!values['no-rows']) await compareRows(rows, sides, above)
  if (!values['no-counts']) compareCounts(sides)
})

async function compareRows(rows, sides, above) {
  const native = rows.filter(({ contenders }) => contenders.includes('native'))
  const data = await DataSets.open(above, size, native)
  const compared = []
  for (const row of native) {
    const { results, faults } = await compareRow(row, { sides, data, above })
    compared.push({ row, results })
    data.release(row)
    if (faults.length > 0) process.exitCode = 1
  }
  console.log(comparisonTable(compared))
}

async function compareRow(row, { sides, data, above }) {
  const say = (text) => console.error(`${row.id}: ${text}`)
  const own = join(above, `work-${row.id}`)
  mkdirSync(own)
  const settings = { above: own, data: await data.of(row, say), options: optionsOf(row, size), size }
  const start = (contender) => {
    const { tree } = sides.find((side) => side.contender === contender)
    return startWorker(row, contender, { ...settings, tree, as: 'native' })
  }
  const contenders = sides.map(({ contender }) => contender)
  const rounds = Number(values.rounds)
  return runRow(row, { contenders, rounds, start, say: (contender, text) => say(`${contender}: ${text}`) })
}

function compareCounts(sides) {
  const missing = missingForCounts()
  if (missing !== null) return console.log(`instructions are not counted: ${missing}`)
  const [countsA, countsB] = sides.map(({ tree }) => countInstructions(tree))
  for (const [at, counts] of [countsA, countsB].entries()) {
    if (counts === null) console.log(`instructions of ${sides[at].side}: its core does not fit native/bench`)
  }
  console.log(countsTable(countsA ?? new Map(), countsB ?? new Map()))
}
