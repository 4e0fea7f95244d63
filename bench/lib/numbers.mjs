/** Numbers for a reader: three digits that count, and a word where there is none. */

const DIGITS = 3

/** `1,234`, `56.7`, `0.0123`; an empty text for null. */
export function plain(value) {
  if (value === null || value === undefined) return ''
  if (value === 0) return '0'
  const whole = Math.abs(value) >= 10 ** (DIGITS - 1)
  const before = Math.floor(Math.log10(Math.abs(value))) + 1
  const places = whole ? 0 : Math.min(6, DIGITS - before)
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })
}

/** System calls of one operation: fewer than one in 1,000 are none. */
export function calls(value) {
  return typeof value === 'number' && value < 0.001 ? '0' : plain(value)
}

/** `12.3x`. */
export function times(value) {
  return value === null || value === undefined ? '' : `${plain(value)}x`
}

/** Nanoseconds in the unit that suits them: `1.2 ms`. */
export function duration(ns) {
  if (ns === null || ns === undefined) return ''
  const units = [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
  ]
  const [unit, size] = units.find(([, of]) => Math.abs(ns) >= of) ?? ['ns', 1]
  return `${plain(ns / size)} ${unit}`
}

/** A goal, or a list of them, in words: `40x kafka`, `p99 at most 2`. */
export function goalText(goal, better) {
  if (goal === null || goal === undefined) return ''
  if (Array.isArray(goal)) return goal.map((one) => goalText(one, better)).join(', ')
  const of = goal.of === undefined ? '' : `${goal.of.replace('extra.', '')} `
  if (goal.limit === undefined) return `${of}${goal.ratio}x ${goal.against}`
  const bound = better === 'more' && goal.of === undefined ? 'at least' : 'at most'
  return `${of}${bound} ${goal.limit}${goal.less === undefined ? '' : ` above ${goal.less}`}`
}
