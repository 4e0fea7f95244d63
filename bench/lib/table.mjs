/** The results as one table on standard output: a line a row and contender. */
import Table from 'cli-table3'
import { calls, duration, goalText, plain, times } from './numbers.mjs'

const HEAD = [
  'row',
  'contender',
  'median',
  'unit',
  'p50',
  'p99',
  'max',
  'reads',
  'writes',
  'peak MiB',
  'ratio',
  'goal',
  'verdict',
]

/** As text; `rows` tell whether more or less is better. */
export function resultsTable(results, rows) {
  const table = new Table({ head: HEAD, style: { head: [], border: [], compact: true } })
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const [at, result] of results.entries()) {
    const isFirst = results[at - 1]?.name !== result.name
    table.push(lineOf(result, isFirst, byId.get(result.name)))
  }
  return table.toString()
}

function lineOf(result, isFirst, row) {
  return [
    isFirst ? result.name : '',
    result.contender,
    plain(result.median),
    result.unit,
    ...[result.p50, result.p99, result.max].map(duration),
    ...[result.readCalls, result.writeCalls].map(calls),
    result.peakKib === null ? '' : plain(result.peakKib / 1024),
    times(result.ratio),
    goalText(result.goal, row?.better),
    result.verdict ?? '',
  ]
}
