/**
 * `npm run bench:smoke`: every row once at a tiny size, on the native and the
 * portable backend, the floor and one Java where Kafka can run. Asserts that
 * the results are there and have their shape; how long anything took is judged
 * by nobody. `--only ID,FAMILY,…`, `--no-kafka` as in `npm run bench`.
 *
 * Ends with `N passed, N failed`: one for each row and contender.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { findJavas } from './lib/javas.mjs'
import { kindOf } from './lib/kinds.mjs'
import { loadRows, selectRows } from './lib/rows.mjs'
import { faultsOfShape } from './lib/shape.mjs'
import { runSuite } from './lib/suite.mjs'
import { openTempFolder } from './lib/temp-folder.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string' }, 'no-kafka': { type: 'boolean', default: false } },
})
const say = (text) => console.log(text)
const rows = selectRows(await loadRows(), { only: values.only?.split(',') ?? null, size: 'smoke' })
const above = openTempFolder()
const javas = values['no-kafka'] ? [] : findJavas(say).slice(0, 1)
const { results, faults } = await runSuite({
  ...{ rows: rows.map(withoutStores), size: 'smoke', rounds: 1, javas, only: null, above },
  together: availableParallelism(),
  say: () => {},
  onRow: (row, { absent }) => {
    for (const { contender, text } of absent) say(`${row.id}, ${contender}: left out: ${text}`)
  },
})
const shapes = results.flatMap((result) => {
  const row = rows.find(({ id }) => id === result.name)
  return faultsOfShape(row, result).map((text) => ({ row: row.id, contender: result.contender, text }))
})
const failed = [...faults, ...shapes]
for (const { row, contender, text } of failed) say(`FAILED: ${row}, ${contender}: ${text}`)
const wrong = new Set(shapes.map(({ row, contender }) => `${row} ${contender}`)).size
say(`${results.length - wrong} passed, ${faults.length + wrong} failed`)
process.exitCode = failed.length === 0 && results.length > 0 ? 0 : 1

/** Stores are packages of bench/ alone, and nothing is fetched for this. */
function withoutStores(row) {
  return { ...row, contenders: row.contenders.filter((name) => kindOf(name) !== 'stores') }
}
