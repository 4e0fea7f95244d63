/** What every row and every result looks like. */
import { kindOf } from './kinds.mjs'

const GROUPS = ['hot paths', 'as a user sees it', 'event loop', 'growth']
const TEXTS = ['id', 'family', 'group', 'title', 'unit', 'better']

/** What is wrong with a row, in words; empty where nothing is. */
export function faultsOfRow(row) {
  const faults = TEXTS.filter((name) => typeof row[name] !== 'string').map((name) => `no ${name}`)
  if (!GROUPS.includes(row.group)) faults.push(`group ${row.group}`)
  if (row.better !== 'more' && row.better !== 'less') faults.push(`better ${row.better}`)
  if (typeof row.functions?.ours !== 'string' || typeof row.functions?.theirs !== 'string') {
    faults.push('it does not name the two functions')
  }
  if (!Array.isArray(row.contenders) || row.contenders.length === 0) faults.push('no contenders')
  return faults
}

/** What is wrong with the result of one contender, in words; empty where nothing is. */
export function faultsOfShape(row, result) {
  const faults = faultsOfRow(row)
  if (!Number.isFinite(result.median)) faults.push(`median ${result.median}`)
  if (result.rounds.some((value) => !Number.isFinite(value))) faults.push(`rounds ${result.rounds}`)
  if (!(result.operations > 0)) faults.push(`${result.operations} operations`)
  if (process.platform === 'linux' && !(result.peakKib > 0)) faults.push(`peak ${result.peakKib}`)
  const { p50, p99, max } = result
  if (p50 !== null && !(p50 <= p99 && p99 <= max)) faults.push(`p50 ${p50}, p99 ${p99}, max ${max}`)
  if (result.unit !== row.unit) faults.push(`unit ${result.unit}`)
  if (kindOf(result.contender) !== 'ours' && result.verdict !== null) faults.push('a verdict on others')
  return faults
}
