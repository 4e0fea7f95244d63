/** The first place where two values differ, in words; null where they are equal. */

const SHOWN = 300

export function firstDifference(expected: unknown, actual: unknown, at = ''): string | null {
  if (Object.is(expected, actual)) return null
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return `${at || 'it'} is ${shown(expected)} and ${shown(actual)}`
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
  for (const key of keys) {
    const difference = firstDifference(expected[key], actual[key], at === '' ? key : `${at}.${key}`)
    if (difference !== null) return difference
  }
  return null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
