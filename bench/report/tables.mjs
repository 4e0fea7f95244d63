/**
 * Measured rows as Markdown: for each family a table of medians with a column
 * a contender, and all other figures folded away below it.
 */
import { describeMachine } from '../lib/head-text.mjs'
import { kindOf } from '../lib/kinds.mjs'
import { calls, duration, goalText, plain, times } from '../lib/numbers.mjs'
import { bestResult, groupBy, resultOf } from './join.mjs'

const DETAILS_HEAD = [
  'row',
  'contender',
  'rounds',
  'p50',
  'p99',
  'max',
  'reads',
  'writes',
  'peak MiB',
  'more',
]

/** The tables of one group; a sentence where nothing of it was measured. */
export function groupTables(measured) {
  if (measured.length === 0) return 'Nothing was measured yet.'
  return groupBy(measured, ({ row }) => row.family)
    .map(([, of]) => [familyTable(of), machines(of), details(of)].join('\n\n'))
    .join('\n\n')
}

/** The README's: what each operation costs here and in Kafka or the best store. */
export function shortTable(measured) {
  const chosen = measured.filter(({ row }) => row.readme !== undefined)
  if (chosen.length === 0) return 'Nothing was measured yet.'
  const head = ['operation', 'this package', 'Kafka', 'best store', 'bare `node:fs`']
  const lines = chosen.map((one) => [
    one.row.readme,
    ...['ours', 'kafka', 'stores', 'floor'].map(figureOf(one)),
  ])
  return [table(head, lines), machines(chosen)].join('\n\n')
}

function figureOf(measured) {
  return (kind) => {
    const isWanted = kind === 'ours' ? (name) => name === 'native' : (name) => kindOf(name) === kind
    const best = bestResult(measured, isWanted)
    if (best === undefined) return ''
    const name = kind === 'stores' ? ` (${best.contender})` : ''
    return `${plain(best.median)} ${best.unit}${name}`
  }
}

function familyTable(of) {
  const contenders = [...new Set(of.flatMap(({ results }) => results.map(({ contender }) => contender)))]
  const head = ['operation', 'functions', 'unit', ...contenders, 'native beside', 'goal', 'verdict']
  return table(
    head,
    of.map((measured) => familyLine(measured, contenders)),
  )
}

function familyLine(measured, contenders) {
  const { row } = measured
  const native = resultOf(measured, 'native')
  const ratios = Object.entries(native?.ratios ?? {}).map(([kind, ratio]) => `${kind} ${times(ratio)}`)
  return [
    row.title,
    `${code(row.functions.ours)} / ${code(row.functions.theirs)}`,
    row.unit,
    ...contenders.map((contender) => plain(resultOf(measured, contender)?.median)),
    ratios.join(', '),
    goalText(native?.goal, row.better),
    native?.verdict ?? '',
  ]
}

function details(of) {
  const lines = of.flatMap(({ row, results }) => results.map((result) => detailsLine(row, result)))
  return [
    '<details><summary>Rounds, latencies, system calls, memory</summary>',
    table(DETAILS_HEAD, lines),
    '</details>',
  ].join('\n\n')
}

/** System calls are of one operation. */
function detailsLine(row, result) {
  const more = Object.entries(result.extra).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? plain(value) : value}`,
  )
  return [
    row.id,
    result.contender,
    result.rounds.map(plain).join(' '),
    ...[result.p50, result.p99, result.max].map(duration),
    ...[result.readCalls, result.writeCalls].map(calls),
    result.peakKib === null ? '' : plain(result.peakKib / 1024),
    more.join(', '),
  ]
}

/** What it was measured on; with the rows' names where that differs. */
function machines(of) {
  const runs = groupBy(of, ({ head }) => JSON.stringify(head))
  const name = ([, rows]) => (runs.length === 1 ? '' : `${rows.map(({ row }) => row.id).join(', ')}: `)
  return runs.map((run) => `${name(run)}${describeMachine(run[1][0].head)}.`).join('\n')
}

function code(names) {
  return names
    .split(', ')
    .map((name) => (/^[\w.:]+(\(\))?$/.test(name) ? `\`${name}\`` : name))
    .join(', ')
}

function table(head, lines) {
  const rule = head.map(() => '---')
  return [head, rule, ...lines].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')
}

function escaped(cell) {
  return String(cell).replaceAll('|', '\\|')
}
