/**
 * `npm run bench`: what one call costs on each backend, beside the bare write
 * that it cannot beat. One process a contender, contenders taking turns, the
 * median of the rounds; compare within a run, never across runs.
 *
 * Options: --rounds N (default 5), --json.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'

const CONTENDERS = ['native', 'portable', 'fs']
const worker = fileURLToPath(new URL('./micro-worker.mjs', import.meta.url))

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
})

const samples = new Map()
for (let round = 0; round < Number(values.rounds); round++) {
  for (const contender of CONTENDERS) {
    for (const [operation, ns] of Object.entries(measure(contender))) note(operation, contender, ns)
  }
}
print()

/** One round of one contender in a process of its own; ns for each operation. */
function measure(contender) {
  const directory = mkdtempSync(join(tmpdir(), 'partition-log-bench-'))
  try {
    return JSON.parse(execFileSync(process.execPath, [worker, contender, directory], { encoding: 'utf8' }))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function note(operation, contender, ns) {
  const of = samples.get(operation) ?? new Map()
  samples.set(operation, of.set(contender, [...(of.get(contender) ?? []), ns]))
}

function median(numbers) {
  return numbers === undefined ? undefined : numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

function print() {
  const rows = [...samples].map(([operation, of]) => [
    operation,
    ...CONTENDERS.map((name) => median(of.get(name))),
  ])
  if (values.json) {
    console.log(
      JSON.stringify(
        rows.map(([operation, ...ns]) => ({ operation, unit: 'ns', ...named(ns) })),
        null,
        2,
      ),
    )
    return
  }
  const table = new Table({ head: ['ns a call, median', ...CONTENDERS], style: { head: [], border: [] } })
  for (const [operation, ...ns] of rows)
    table.push([operation, ...ns.map((value) => value?.toFixed(0) ?? '')])
  console.log(table.toString())
}

function named(ns) {
  return Object.fromEntries(CONTENDERS.map((name, index) => [name, ns[index] ?? null]))
}
