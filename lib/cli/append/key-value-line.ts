/**
 * A line as a record: key and value around a separator, or the value alone.
 */

import { UsageError } from '../failure.js'
import type { ParseLine } from './input-records.js'

export interface LineOptions {
  /** Its first occurrence ends the key. Undefined: records have no key. */
  readonly keySeparator?: string
  /** A key or value that is exactly this is null. */
  readonly nullMarker?: string
}

/** A parser that keeps bytes as they are, and refuses a line without the separator. */
export function keyValueLine(options: LineOptions): ParseLine {
  const separator = options.keySeparator === undefined ? undefined : Buffer.from(options.keySeparator)
  const nullMarker = options.nullMarker === undefined ? undefined : Buffer.from(options.nullMarker)
  const field = (bytes: Buffer) => (nullMarker?.equals(bytes) ? null : bytes)
  if (separator === undefined) return (line) => ({ value: field(line) })
  return (line, where) => {
    const at = line.indexOf(separator)
    if (at === -1)
      throw new UsageError(`${where} has no key separator ${JSON.stringify(options.keySeparator)}`)
    return { key: field(line.subarray(0, at)), value: field(line.subarray(at + separator.length)) }
  }
}
