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
 * Measures `rows` in turn; with `together` above 1 that many families at once,
 * where nobody looks at times. `only`: contenders wanted, null all.
 * `onRow(row, outcome)` is called after each, so that a run that is cut short
 * has told what it knows.
 *
 * @returns `{ results, faults: [{ row, contender, text }] }`
 */
export async function runSuite({ rows, together = 1, onRow = () => {}, ...settings }) {
  const data = await DataSets.open(settings.above, settings.size, rows)
  const results = []
  const faults = []
  const measureAll = async (of) => {
    for (const row of of) {
      const tell = (text) => settings.say(`[${rows.indexOf(row) + 1}/${rows.length}] ${row.id}: ${text}`)
      tell(`load ${loadavg()[0].toFixed(1)}`)
      const outcome = await measure(row, { ...settings, data, tell })
      results.push(...outcome.results)
      faults.push(...outcome.faults.map((fault) => ({ row: row.id, ...fault })))
      data.release(row)
      onRow(row, outcome)
    }
  }
  await (together === 1 ? measureAll(rows) : inPool(families(rows), together, measureAll))
  return { results, faults }
}

function families(rows) {
  const names = [...new Set(rows.map(({ family }) => family))]
  return names.map((name) => rows.filter(({ family }) => family === name))
}

/** `action` for each of `items`, `count` at once. */
async function inPool(items, count, action) {
  const waiting = [...items]
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await action(item)
  }
  await Promise.all(Array.from({ length: count }, work))
}

async function measure(row, { data, size, rounds, javas, only, above, tell }) {
  const contenders = contendersOf(row, javas, only)
  const options = optionsOf(row, size)
  const own = join(above, `work-${row.id}`)
  mkdirSync(own)
  try {
    const paths = contenders.length === 0 ? {} : await data.of(row, tell)
    const start = (contender) =>
      startWorker(row, contender, { javas, above: own, data: paths, options, size })
    return await runRow(row, { contenders, rounds, start, say: (name, text) => tell(`${name}: ${text}`) })
  } catch (error) {
    tell(`FAILED: ${error.stack}`)
    return { results: [], faults: [{ contender: 'data', text: error.message }], absent: [] }
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
