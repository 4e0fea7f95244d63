/**
 * Lines to records: key and value around a separator, or the value alone.
 */

import type { RecordInput } from '../../index.js'
import { UsageError } from '../failure.js'

export interface LineOptions {
  /** Its first occurrence ends the key. Undefined: records have no key. */
  readonly keySeparator?: string
  /** A key or value that is exactly this is null. */
  readonly nullMarker?: string
}

/** The records of the lines that came in at once, together. A line without the separator is refused with its number. */
export async function* readLineRecords(
  lines: AsyncIterable<Buffer[]>,
  options: LineOptions,
): AsyncGenerator<RecordInput[], void, undefined> {
  const separator = options.keySeparator === undefined ? undefined : Buffer.from(options.keySeparator)
  const nullMarker = options.nullMarker === undefined ? undefined : Buffer.from(options.nullMarker)
  const field = (bytes: Buffer) => (nullMarker?.equals(bytes) ? null : bytes)
  let before = 0
  for await (const some of lines) {
    yield some.map((line, index) => {
      if (separator === undefined) return { value: field(line) }
      const at = line.indexOf(separator)
      if (at === -1)
        throw new UsageError(
          `line ${before + index + 1} of the input has no key separator ${JSON.stringify(options.keySeparator)}`,
        )
      return { key: field(line.subarray(0, at)), value: field(line.subarray(at + separator.length)) }
    })
    before += some.length
  }
}
