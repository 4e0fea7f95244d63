/** A script with a name, so that what it shows is left to no luck. */
import type { Settings } from '../operation.js'
import type { Move, Run } from '../run-script.js'

export interface NamedCase extends Run {
  readonly name: string
}

/** Segments of a few batches, indexes of a few entries. */
const SMALL = {
  'internal.segment.bytes': '1000',
  'segment.index.bytes': '400',
  'index.interval.bytes': '100',
}

/** Every byte must be equal. */
export function exact(
  name: string,
  moves: readonly Move[],
  settings: Settings = {},
  highWatermark: Run['highWatermark'] = 'auto',
): NamedCase {
  return { name, comparison: 'exact', settings: { ...SMALL, ...settings }, highWatermark, moves }
}

/** Each contender compresses itself. */
export function decoded(name: string, moves: readonly Move[], settings: Settings = {}): NamedCase {
  return {
    name,
    comparison: 'decoded',
    settings: { 'index.interval.bytes': '0', ...settings },
    highWatermark: 'auto',
    moves,
  }
}
