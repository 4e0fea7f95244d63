/**
 * `npm run bench`: the quick rows in 3 short rounds; `-- --full`: all rows at
 * their full size in 5 rounds, into bench/results.
 *
 * --only ID,FAMILY,…  these rows alone      --rounds N   of each contender
 * --no-kafka          without a JVM         --contenders native,kafka,…
 * --results DIRECTORY where results go as JSON (a short run writes none without it)
 *
 * Progress goes to standard error, the table to standard output. Exit code 1:
 * a contender failed. Compare within a run, never across runs.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../scripts/lib/run.mjs'
import { packagesOf } from './lib/contenders.mjs'
import { describeMachine } from './lib/head-text.mjs'
import { findJavas } from './lib/javas.mjs'
import { packageOf } from './lib/kinds.mjs'
import { machine } from './lib/machine.mjs'
import { providePackages } from './lib/peers.mjs'
import { writeResults } from './lib/results.mjs'
import { loadRows, selectRows } from './lib/rows.mjs'
import { runSuite } from './lib/suite.mjs'
import { resultsTable } from './lib/table.mjs'
import { openTempFolder } from './lib/temp-folder.mjs'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    contenders: { type: 'string' },
    rounds: { type: 'string' },
    'no-kafka': { type: 'boolean', default: false },
    results: { type: 'string' },
  },
})
const size = values.full ? 'full' : 'short'
const rounds = Number(values.rounds ?? (values.full ? 5 : 3))
const results = values.results ?? (values.full ? join(root, 'bench/results') : null)
const say = (text) => console.error(text)

const all = await loadRows()
const only = values.contenders?.split(',') ?? null
const rows = selectRows(all, { only: values.only?.split(',') ?? null, size })
const above = openTempFolder()
const javas = values['no-kafka'] || rows.every((row) => !wants(row, 'kafka')) ? [] : findJavas(say)
const missing = providePackages(packagesOf(rows, only), say)
const head = machine(above, javas)
say(describeMachine(head))
const outcome = await runSuite({
  ...{ rows: rows.map(withoutMissing), size, rounds, javas, only, above, say },
  onRow: (_row, measured) => {
    if (results !== null) writeResults(results, head, measured.results, familyOf)
  },
})
console.log(describeMachine(head))
console.log(resultsTable(outcome.results, rows))
for (const { row, contender, text } of outcome.faults) console.error(`${row}, ${contender}: ${text}`)
process.exitCode = outcome.faults.length === 0 ? 0 : 1

function wants(row, contender) {
  return row.contenders.includes(contender) && (only === null || only.includes(contender))
}

/** A store that could not be installed takes no part. */
function withoutMissing(row) {
  const lacking = row.contenders.filter((contender) => missing.includes(packageOf(contender)))
  if (lacking.length > 0) say(`${row.id}: ${lacking.join(', ')} left out, not installed`)
  return { ...row, contenders: row.contenders.filter((contender) => !lacking.includes(contender)) }
}

function familyOf(name) {
  return all.find(({ id }) => id === name).family
}
