/** Results and the rows that they are of, put together for tables and plots. */

export const GROUPS = ['hot paths', 'as a user sees it', 'event loop', 'growth']

/**
 * Measured rows in the order of `rows`: `[{ row, head, results }]`. Results of
 * rows that are no more are left out.
 */
export function measuredRows(rows, families) {
  const found = new Map()
  for (const { head, results } of families.flatMap(({ runs }) => runs)) {
    for (const result of results) {
      const measured = found.get(result.name) ?? { head, results: [] }
      measured.results.push(result)
      found.set(result.name, measured)
    }
  }
  return rows.filter(({ id }) => found.has(id)).map((row) => ({ row, ...found.get(row.id) }))
}

/** In the order of first appearance: `[[key, items]]`. */
export function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups]
}

/** The result of one contender; undefined where it took no part. */
export function resultOf({ results }, contender) {
  return results.find((result) => result.contender === contender)
}

/** The better of the results whose contender's kind is asked for; undefined where there is none. */
export function bestResult({ row, results }, isWanted) {
  return results
    .filter(({ contender }) => isWanted(contender))
    .reduce((best, one) => (best === undefined || isBetter(row, one, best) ? one : best), undefined)
}

function isBetter(row, one, other) {
  return row.better === 'less' ? one.median < other.median : one.median > other.median
}
