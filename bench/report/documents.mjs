/**
 * The documents' parts that are made of results: what stands between
 * `<!-- results: NAME -->` and `<!-- end of results -->`. All else is left as
 * it is.
 */
import { GROUPS, measuredRows } from './join.mjs'
import { plotsOf } from './plots.mjs'
import { groupTables, shortTable } from './tables.mjs'

const PART = /(<!-- results: ([a-z ]+) -->\n)[\s\S]*?(<!-- end of results -->)/g
/** Of the documents that have such parts. */
export const DOCUMENTS = ['docs/benchmarks.md', 'README.md']
export const PLOTS = 'docs/benchmarks'

/**
 * The parts by name, and the plots that they show.
 *
 * @returns {{
 *   parts: Record<string, string>,
 *   plots: { name: string, alt: string, group: string, spec: Record<string, unknown> }[]
 * }}
 */
export function partsOf(rows, families) {
  const measured = measuredRows(rows, families)
  const plots = plotsOf(measured)
  const parts = Object.fromEntries(GROUPS.map((group) => [group, groupPart(group, measured, plots)]))
  return { parts: { ...parts, short: shortTable(measured) }, plots }
}

/** `text` with its parts as they should be; a part that nobody knows is an error. */
export function withParts(text, parts) {
  return text.replaceAll(PART, (_all, begin, name, end) => {
    if (parts[name] === undefined) throw new Error(`there are no results called ${name}`)
    return `${begin}\n${parts[name]}\n\n${end}`
  })
}

function groupPart(group, measured, plots) {
  const images = plots
    .filter((plot) => plot.group === group)
    .map(({ name, alt }) => `![${alt}](benchmarks/${name}.svg)`)
  return [groupTables(measured.filter(({ row }) => row.group === group)), ...images].join('\n\n')
}
