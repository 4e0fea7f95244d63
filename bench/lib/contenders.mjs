/**
 * Who takes part in a row on this machine, and how each is started. Rows say
 * `kafka`; here that is one contender a Java.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/lib/run.mjs'
import { javaCommand } from './javas.mjs'
import { packageOf } from './kinds.mjs'
import { WorkerProcess } from './worker-process.mjs'

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

/**
 * Starts one contender of a row in a directory of its own below `above`.
 * `tree`: whose library a worker of Node has, this one's unless said otherwise;
 * `as`: the name that it goes by there.
 */
export function startWorker(row, contender, settings) {
  const { javas = [], above, data, options, size, tree = root, as = contender } = settings
  const directory = mkdtempSync(join(above, `${row.id}-${as}-`))
  const request = { row: row.id, family: row.family, contender: as, directory, data, options }
  const java = javas.find(({ name }) => name === contender)
  if (java !== undefined) return new WorkerProcess(javaCommand(java, request, { smoke: size === 'smoke' }))
  const args = ['--expose-gc', join(tree, 'bench/work/worker.mjs'), JSON.stringify(request)]
  return new WorkerProcess({ command: process.execPath, args })
}
