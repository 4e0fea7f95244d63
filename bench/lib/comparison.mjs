/** Two commits beside one another, as tables; a ratio above 1 says that the second is better. */
import Table from 'cli-table3'
import { duration, plain, times } from './numbers.mjs'
import { ratio } from './verdict.mjs'

const STYLE = { head: [], border: [], compact: true }

/** `compared`: `[{ row, results }]` of the contenders `A native` and `B native`. */
export function comparisonTable(compared) {
  const head = ['row', 'unit', 'A', 'B', 'B is better', 'A p99', 'B p99', 'A rounds', 'B rounds']
  const table = new Table({ head, style: STYLE })
  for (const { row, results } of compared) {
    const [a, b] = ['A native', 'B native'].map((name) => results.find(({ contender }) => contender === name))
    const better = times(ratio(row.better, b?.median, a?.median))
    const latencies = [a?.p99, b?.p99].map(duration)
    const rounds = [a, b].map((result) => (result?.rounds ?? []).map(plain).join(' '))
    table.push([row.id, row.unit, plain(a?.median), plain(b?.median), better, ...latencies, ...rounds])
  }
  return table.toString()
}

/** Of maps from group to instructions; a group of one side alone has no ratio. */
export function countsTable(countsA, countsB) {
  const head = ['instructions of the native core', 'A', 'B', 'B is better']
  const table = new Table({ head, style: STYLE })
  for (const group of new Set([...countsA.keys(), ...countsB.keys()])) {
    const [a, b] = [countsA.get(group), countsB.get(group)]
    table.push([group, whole(a), whole(b), times(ratio('less', b, a))])
  }
  return table.toString()
}

function whole(count) {
  return count === undefined || Number.isNaN(count) ? '' : count.toLocaleString('en-US')
}
