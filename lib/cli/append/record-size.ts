/**
 * Roughly what a record takes, in bytes, without its framing.
 */

import type { RecordInput } from '../../index.js'

export function sizeOf({ key, value, headers = [] }: RecordInput): number {
  const inHeaders = headers.reduce((sum, header) => sum + header.key.length + lengthOf(header.value), 0)
  return lengthOf(key) + lengthOf(value) + inHeaders
}

function lengthOf(bytes: string | Uint8Array | null | undefined): number {
  return bytes?.length ?? 0
}
