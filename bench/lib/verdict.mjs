/**
 * Ratios and verdicts of one row. A ratio above 1 says that the first is
 * better, whether more or less is better in the row. Only the native backend
 * has a verdict; goals and their kinds are described in bench/README.md.
 */
import { kindOf } from './kinds.mjs'

/** Whom a row without a goal is held against: the first of these that is there. */
const AGAINST = ['kafka', 'floor', 'stores']

/** How many times `ours` is better than `theirs`; null where one is missing, or they cannot be compared so. */
export function ratio(better, ours, theirs) {
  if (ours === null || theirs === null || ours === undefined || theirs === undefined) return null
  const [over, under] = better === 'less' ? [theirs, ours] : [ours, theirs]
  return under > 0 && over >= 0 ? over / under : null
}

/** The results of a row with `ratio` (beside the best of those that the row is held against), `ratios`, `goal` and `verdict`. */
export function judge(row, results) {
  const goals = goalsOf(row)
  const against = goals.find((goal) => goal.ratio !== undefined)?.against
  return results.map((result) => {
    const ratios = ratiosOf(row, results, result)
    const first = against ?? AGAINST.find((kind) => ratios[kind] !== undefined)
    const own = { ...result, ratio: ratios[first] ?? null, ratios }
    if (result.contender !== 'native') return { ...own, goal: null, verdict: null }
    return { ...own, goal: row.goal ?? null, verdict: verdictOf(row, results, goals) }
  })
}

/** The goals of a row, or of a result: none, one or many. */
export function goalsOf({ goal = null }) {
  if (goal === null) return []
  return Array.isArray(goal) ? goal : [goal]
}

/** A figure of a result: its median, or what `of` names. */
export function figure(result, of = 'median') {
  const value = of.startsWith('extra.') ? result?.extra?.[of.slice('extra.'.length)] : result?.[of]
  return value ?? null
}

function ratiosOf(row, results, result) {
  const found = AGAINST.map((kind) => [
    kind,
    ratio(row.better, result.median, best(results, kind, row.better)),
  ])
  return Object.fromEntries(found.filter(([, value]) => value !== null))
}

function best(results, kind, better, of = 'median') {
  const figures = results
    .filter(({ contender }) => kindOf(contender) === kind)
    .map((result) => figure(result, of))
    .filter((value) => value !== null)
  if (figures.length === 0) return null
  return better === 'less' ? Math.min(...figures) : Math.max(...figures)
}

function verdictOf(row, results, goals) {
  const met = goals.map((goal) => isMet(row, results, goal))
  if (met.length === 0 || met.includes(null)) return null
  return met.every(Boolean) ? 'met' : 'missed'
}

/** Null where somebody whom it needs was not there. */
function isMet(row, results, goal) {
  const native = results.find(({ contender }) => contender === 'native')
  const better = goal.of === undefined ? row.better : 'less'
  const own = figure(native, goal.of)
  if (goal.limit === undefined) {
    const reached = ratio(better, own, best(results, goal.against, better, goal.of))
    return reached === null ? null : reached >= goal.ratio
  }
  const idle = goal.less === undefined ? 0 : figure(find(results, goal.less), goal.of)
  if (own === null || idle === null) return null
  return better === 'less' ? own - idle <= goal.limit : own - idle >= goal.limit
}

function find(results, contender) {
  return results.find((result) => result.contender === contender)
}
