/**
 * Medians of rounds. A sample is what one round of one contender gave; a
 * figure that a round did not give is left out of its median, and null where
 * none gave it.
 */

/** Of a list of numbers that is not empty; of an even count the mean of the middle two. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]
  return sorted.length % 2 === 1 ? upper : (sorted[(sorted.length >> 1) - 1] + upper) / 2
}

/** The figures of a result that come from its samples. */
export function summarize(samples) {
  const of = (name) => medianOf(samples.map((sample) => sample[name]))
  return {
    median: of('value'),
    rounds: samples.map(({ value }) => value),
    operations: of('operations'),
    p50: of('p50'),
    p99: of('p99'),
    max: of('max'),
    readCalls: of('readCalls'),
    writeCalls: of('writeCalls'),
    extra: extras(samples.map(({ extra }) => extra ?? {})),
  }
}

function medianOf(numbers) {
  const given = numbers.filter((number) => typeof number === 'number')
  return given.length === 0 ? null : median(given)
}

/** Numbers by their medians, anything else as the last round has it. */
function extras(all) {
  const last = all.at(-1) ?? {}
  return Object.fromEntries(
    Object.entries(last).map(([name, value]) => [name, medianOf(all.map((extra) => extra[name])) ?? value]),
  )
}
