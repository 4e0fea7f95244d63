/**
 * The checksum of a whole batch in a file, whatever its size: CRC-32C from the
 * attributes on for magic 2, CRC-32 from the magic byte on for older ones.
 */

import { crc32 } from 'node:zlib'
import { crc32c } from '../../format/crc32c.js'
import { ATTRIBUTES_AT, CRC_AT, LEGACY_CRC_AT, MAGIC_AT } from '../../format/layout.js'
import type { BatchPlace } from '../contract.js'
import type { Window } from './window.js'

export interface BatchCrc {
  /** As stored in the header. */
  readonly expected: number
  /** As its bytes are. */
  readonly actual: number
}

/** Undefined where the file was cut meanwhile and no longer has the whole batch. */
export function crcOf(window: Window, batch: BatchPlace): BatchCrc | undefined {
  const isCurrent = batch.magic === 2
  const at = window.at(batch.position, Math.min(batch.sizeInBytes, window.bytes.length))
  const expected = window.bytes.readUInt32BE(at + (isCurrent ? CRC_AT : LEGACY_CRC_AT))
  const end = batch.position + batch.sizeInBytes
  let position = batch.position + (isCurrent ? ATTRIBUTES_AT : MAGIC_AT)
  let actual = 0
  while (position < end) {
    const length = Math.min(end - position, window.bytes.length)
    const start = window.at(position, length)
    if (window.end < position + length) return undefined
    actual = isCurrent
      ? crc32c(window.bytes, start, start + length, actual)
      : crc32(window.bytes.subarray(start, start + length), actual)
    position += length
  }
  return { expected, actual }
}
