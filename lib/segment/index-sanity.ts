/**
 * Whether an index can be believed, asked once when it is opened. Kafka's
 * sanity checks, and that its entries do not fall and stay within the log.
 */

import type { OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import { corrupt } from '../errors.js'

const REMEDY =
  'the log itself may be whole: restore the index, or let a Kafka broker open the directory once to rebuild it'

export function checkOffsetIndex(index: OffsetIndexFile, logSizeInBytes: number): void {
  checkLength(index)
  if (index.entries === 0) return
  const first = index.entry(0)
  const last = index.entry(index.entries - 1)
  const rising =
    index.entries === 1 || (last.relativeOffset > first.relativeOffset && last.position > first.position)
  const within = first.relativeOffset >= 0 && first.position >= 0 && last.position < logSizeInBytes
  if (rising && within) return
  throw corrupt(
    'index',
    index.path,
    `last entry (${last.relativeOffset} -> ${last.position}) does not fit a log of ${logSizeInBytes} bytes; ${REMEDY}`,
    { position: (index.entries - 1) * index.entrySize, actual: last },
  )
}

export function checkTimeIndex(index: TimeIndexFile): void {
  checkLength(index)
  if (index.entries === 0) return
  const first = index.entry(0)
  const last = index.entry(index.entries - 1)
  if (
    last.timestamp >= first.timestamp &&
    first.relativeOffset >= 0 &&
    last.relativeOffset >= first.relativeOffset
  )
    return
  throw corrupt(
    'index',
    index.path,
    `last entry (${last.timestamp} -> ${last.relativeOffset}) is below the first; ${REMEDY}`,
    { position: (index.entries - 1) * index.entrySize, actual: last },
  )
}

function checkLength(index: OffsetIndexFile | TimeIndexFile): void {
  if (index.oddBytes === 0) return
  throw corrupt('index', index.path, `its length is no multiple of ${index.entrySize}; ${REMEDY}`, {
    position: index.entries * index.entrySize,
  })
}
