/**
 * The rows of bench/rows, and which of them a run measures. A row is plain
 * data: see bench/README.md for its fields.
 */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = resolve(import.meta.dirname, '../rows')

/** All rows, in the order of their files' names. */
export async function loadRows() {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .sort()
  const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(folder, name)))))
  const rows = modules.flatMap((module) => module.rows)
  const twice = rows.find((row, at) => rows.findIndex(({ id }) => id === row.id) !== at)
  if (twice !== undefined) throw new Error(`two rows are called ${twice.id}`)
  return rows
}

/** Those whose id or family is named; without names all, or the quick ones in a short run. */
export function selectRows(rows, { only, size }) {
  if (only === null) return rows.filter((row) => size !== 'short' || row.quick)
  const unknown = only.find((name) => !rows.some(({ id, family }) => id === name || family === name))
  if (unknown !== undefined) throw new Error(`there is no row or family called ${unknown}`)
  return rows.filter(({ id, family }) => only.includes(id) || only.includes(family))
}

/** What the work is given as its options, in a run of `size`: `full`, `short` or `smoke`. */
export function optionsOf(row, size) {
  const quick = size === 'full' ? {} : row.quickOptions
  return { ...row.options, ...quick, ...(size === 'smoke' ? row.smokeOptions : {}) }
}
