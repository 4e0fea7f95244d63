/** A record of an operation as this package's own methods take it. */
import type { RecordInput } from '../../../lib/format/record.js'
import { fromBase64, type RecordSpec } from './operation.js'

/** Where the record leaves its time to the clock, it gets `nowMs`; without one it stays without. */
export function recordInput({ timestamp, key, value, headers }: RecordSpec, nowMs?: number): RecordInput {
  const time = timestamp ?? nowMs
  return {
    key: bytesOf(key),
    value: bytesOf(value),
    headers: headers.map((header) => ({ key: header.key, value: bytesOf(header.value) })),
    ...(time === undefined ? {} : { timestamp: time }),
  }
}

function bytesOf(base64: string | null): Buffer | null {
  return base64 === null ? null : fromBase64(base64)
}
