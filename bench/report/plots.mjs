/**
 * What is drawn, as vega-lite specifications by the names of their files. White
 * behind, so that a dark page shows them too.
 */
import { kindOf } from '../lib/kinds.mjs'
import { goalsOf } from '../lib/verdict.mjs'
import { GROUPS, groupBy, resultOf } from './join.mjs'

const WIDTH = 560
const LABEL_WIDTH = 600
const COLOURS = {
  native: '#1f6feb',
  portable: '#8bb8ff',
  floor: '#7d8590',
  'kafka-17': '#f0a35e',
  'kafka-25': '#c4560a',
}
const OTHERS = ['#2da44e', '#8250df', '#bf3989', '#9a6700', '#1b7c83', '#57606a', '#cf222e', '#0a3069']
const CONFIG = {
  font: 'sans-serif',
  axis: { labelLimit: 400, gridColor: '#e6e8eb' },
  view: { stroke: '#d0d7de' },
}

/** `[{ name, alt, group, spec }]`; none of what was not measured. */
export function plotsOf(measured) {
  const ratios = GROUPS.map((group) =>
    ratioPlot(
      group,
      measured.filter(({ row }) => row.group === group),
    ),
  )
  const growing = measured.filter(({ row }) => row.series !== undefined)
  const growth = groupBy(growing, ({ row }) => row.series.id).map(([, of]) => growthPlot(of))
  return [...ratios, ...growth].filter((plot) => plot !== null)
}

/** How many times better the native backend is, beside the goal. */
function ratioPlot(group, measured) {
  const values = measured.flatMap((one) => ratioValues(one))
  if (values.length === 0) return null
  const y = {
    field: 'operation',
    type: 'nominal',
    sort: null,
    title: null,
    axis: { labelLimit: LABEL_WIDTH },
  }
  const x = {
    field: 'ratio',
    type: 'quantitative',
    scale: { type: 'log' },
    title: 'times better (logarithmic)',
  }
  const layer = [
    { mark: { type: 'point', filled: true, size: 90 }, encoding: { x, color: colourOf(values, 'beside') } },
    { mark: { type: 'tick', thickness: 2, color: '#24292f' }, encoding: { x: { ...x, field: 'goal' } } },
  ]
  const title = { text: `Native backend, ${group}`, subtitle: 'dots: reached; strokes: the goals' }
  const spec = { ...frame(title), data: { values }, height: { step: 22 }, encoding: { y }, layer }
  return { name: `ratios-${slug(group)}`, alt: `Ratios reached and goals, ${group}`, group, spec }
}

function ratioValues(measured) {
  const { row } = measured
  const native = resultOf(measured, 'native')
  const goals = goalsOf(native ?? {})
  return Object.entries(native?.ratios ?? {}).map(([beside, ratio]) => ({
    ...{ operation: row.title, beside, ratio },
    goal: goals.find((goal) => goal.against === beside && goal.of === undefined)?.ratio ?? null,
  }))
}

/** Cost against size, both logarithmic. */
function growthPlot(of) {
  const [{ row }] = of
  const { id, title, xTitle, expected } = row.series
  const values = of.flatMap(({ row: { series }, results }) =>
    results.map(({ contender, median }) => ({ contender, size: series.x, value: median })),
  )
  const axis = (field, text) => ({
    field,
    type: 'quantitative',
    scale: { type: 'log', nice: false },
    title: text,
  })
  const encoding = {
    x: axis('size', `${xTitle} (logarithmic)`),
    y: axis('value', `${row.unit} (logarithmic)`),
    color: colourOf(values, 'contender'),
  }
  const subtitle = expected === undefined ? '' : `expected: ${expected}`
  const mark = { type: 'line', point: true }
  const spec = { ...frame({ text: title, subtitle }), data: { values }, height: 300, mark, encoding }
  return { name: `growth-${id}`, alt: title, group: row.group, spec }
}

function frame(title) {
  const $schema = 'https://vega.github.io/schema/vega-lite/v6.json'
  return { $schema, background: 'white', padding: 10, width: WIDTH, title, config: CONFIG }
}

function colourOf(values, field) {
  const domain = [...new Set(values.map((value) => value[field]))]
  const others = [...OTHERS]
  const range = domain.map((name) => COLOURS[name] ?? kindColour(name) ?? others.shift() ?? '#57606a')
  return { field, type: 'nominal', scale: { domain, range }, title: null }
}

/** The kinds themselves, where a plot is of ratios. */
function kindColour(name) {
  if (name === 'kafka') return COLOURS['kafka-25']
  return name !== 'stores' && kindOf(name) === 'kafka' ? '#e8863a' : undefined
}

export function slug(text) {
  return text.replaceAll(/[^a-z0-9]+/g, '-')
}
