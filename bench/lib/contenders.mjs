/**
 * Who takes part in a row on this machine, and how each is started. Rows say
 * `kafka`; here that is one contender a Java.
 */
import { mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { javaCommand } from './javas.mjs'
import { packageOf } from './kinds.mjs'
import { WorkerProcess } from './worker-process.mjs'

const worker = resolve(import.meta.dirname, '../work/worker.mjs')

/** The row's contenders, in its order; `only` names those wanted (`kafka`: each Java), null all. */
export function contendersOf(row, javas, only) {
  const wanted = row.contenders.filter((name) => only === null || only.includes(name))
  return wanted.flatMap((name) => (name === 'kafka' ? javas.map((java) => java.name) : [name]))
}

/** Packages that these rows' contenders need beside those of the project. */
export function packagesOf(rows, only) {
  const names = rows.flatMap((row) => contendersOf(row, [], only)).map(packageOf)
  return [...new Set(names.filter((name) => name !== null))]
}

/** Starts one contender of a row in a directory of its own below `above`. */
export function startWorker(row, contender, { javas, above, data, options, size }) {
  const directory = mkdtempSync(join(above, `${row.id}-${contender}-`))
  const request = { row: row.id, family: row.family, contender, directory, data, options }
  const java = javas.find(({ name }) => name === contender)
  return new WorkerProcess(
    java === undefined ? nodeCommand(request) : javaCommand(java, request, { smoke: size === 'smoke' }),
  )
}

function nodeCommand(request) {
  return { command: process.execPath, args: ['--expose-gc', worker, JSON.stringify(request)] }
}
