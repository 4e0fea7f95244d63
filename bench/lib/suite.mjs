/**
 * A run of many rows: data sets, contenders, rounds, and what came of it. What
 * fails is told and counted, and the run goes on.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { contendersOf, startWorker } from './contenders.mjs'
import { DataSets } from './data-sets.mjs'
import { optionsOf } from './rows.mjs'
import { runRow } from './runner.mjs'

/**
 * Measures `rows` in turn. `only`: contenders wanted, null all. `onRow(row,
 * outcome)` is called after each, so that a run that is cut short has told
 * what it knows.
 *
 * @returns `{ results, faults: [{ row, contender, text }] }`
 */
export async function runSuite({ rows, size, rounds, javas, only, above, say, onRow = () => {} }) {
  const data = await DataSets.open(above, size, rows)
  const results = []
  const faults = []
  for (const [at, row] of rows.entries()) {
    const tell = (text) => say(`[${at + 1}/${rows.length}] ${row.id}: ${text}`)
    tell(`load ${loadavg()[0].toFixed(1)}`)
    const outcome = await measure(row, { data, size, rounds, javas, only, above, tell })
    results.push(...outcome.results)
    faults.push(...outcome.faults.map((fault) => ({ row: row.id, ...fault })))
    data.release(row)
    onRow(row, outcome)
  }
  return { results, faults }
}

async function measure(row, { data, size, rounds, javas, only, above, tell }) {
  const contenders = contendersOf(row, javas, only)
  const options = optionsOf(row, size)
  const own = join(above, `work-${row.id}`)
  mkdirSync(own)
  try {
    const paths = contenders.length === 0 ? {} : await data.of(row, tell)
    const start = (contender) => startWorker(row, contender, { javas, above: own, data: paths, options })
    return await runRow(row, { contenders, rounds, start, say: (name, text) => tell(`${name}: ${text}`) })
  } catch (error) {
    tell(`FAILED: ${error.stack}`)
    return { results: [], faults: [{ contender: 'data', text: error.message }], absent: [] }
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
