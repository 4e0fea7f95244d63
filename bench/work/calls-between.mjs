/** System calls of one operation between two counts of `context.calls()`; null where the system does not tell. */
export function callsBetween(before, after, operations) {
  if (before === null) return { readCalls: null, writeCalls: null }
  const of = (name) => (after[name] - before[name]) / operations
  return { readCalls: of('readCalls'), writeCalls: of('writeCalls') }
}
