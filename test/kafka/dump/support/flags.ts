/** Every combination of flags that matters for a file of a kind. */

const LOG_FLAGS = [
  [],
  ['--deep-iteration'],
  ['--print-data-log'],
  ['--print-data-log', '--skip-record-metadata'],
  ['--deep-iteration', '--skip-record-metadata'],
  ['--print-data-log', '--max-bytes', '300'],
  ['--key-decoder-class', '--value-decoder-class', 'org.apache.kafka.tools.api.StringDecoder'],
  ['--offsets-decoder'],
  ['--transaction-log-decoder', '--skip-record-metadata'],
]

const INDEX_FLAGS = [
  [],
  ['--index-sanity-check'],
  ['--verify-index-only'],
  ['--index-sanity-check', '--verify-index-only'],
  ['--verify-index-only', '--max-message-size', '5242880'],
]

export function flagsFor(path: string): readonly (readonly string[])[] {
  if (path.endsWith('.log')) return LOG_FLAGS
  return /\.(?:time)?index$/.test(path) ? INDEX_FLAGS : [[], ['--print-data-log']]
}
