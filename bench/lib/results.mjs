/**
 * The files of results, one a family: `{ family, runs: [{ head, results }] }`.
 * A row's results are those of the run that measured it last; the runs of
 * others stay beside it, each with its own head. A run of no rows goes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Puts `results` (of any families; `familyOf(name)` tells) into the files of `directory`. */
export function writeResults(directory, head, results, familyOf) {
  mkdirSync(directory, { recursive: true })
  for (const [family, of] of groups(results, familyOf)) {
    const path = join(directory, `${family}.json`)
    const before = existsSync(path) ? read(path).runs : []
    const file = { family, runs: merge(before, { head, results: of }) }
    writeFileSync(path, `${JSON.stringify(file, shortened, 2)}\n`)
  }
}

/** Every file's `{ family, runs }`, by family. */
export function readResults(directory) {
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => read(join(directory, name)))
}

/** `run` before those of `before` that still have rows of their own; of one run (an equal head) the rows join. */
export function merge(before, run) {
  const again = new Set(run.results.map(({ name }) => name))
  const kept = before
    .map(({ head, results }) => ({ head, results: results.filter(({ name }) => !again.has(name)) }))
    .filter(({ results }) => results.length > 0)
  const [latest, ...others] = kept
  if (latest === undefined || JSON.stringify(latest.head) !== JSON.stringify(run.head)) return [run, ...kept]
  return [{ head: run.head, results: [...latest.results, ...run.results] }, ...others]
}

function groups(results, familyOf) {
  const found = new Map()
  for (const result of results) {
    const family = familyOf(result.name)
    found.set(family, [...(found.get(family) ?? []), result])
  }
  return found
}

/** No measurement has more than six digits that mean something. */
function shortened(_name, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
