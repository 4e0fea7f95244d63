/**
 * Whether an index can be believed, asked once when it is opened. Kafka's
 * sanity checks, and that its entries do not fall and stay within the log.
 * What lies between first and last entry is checked where it is used.
 */

import type { OffsetIndexFile, TimeIndexFile, Translation } from '../backend/contract.js'
import { corrupt, type PartitionLogError } from '../errors.js'

const REMEDY =
  'the log itself may be whole: close it, remove this file and open it again, and the index is rebuilt from the log'

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

/**
 * An entry names a batch that begins at or below its offset; one that leads further would hide records without a word.
 * So where the search for `target` (relative) ended with the very batch that the index named, it must not begin above
 * the target. Old formats, whose entries mean other offsets, are left alone.
 */
export function checkAnswer(
  index: OffsetIndexFile,
  baseOffset: bigint,
  target: number,
  found: Translation,
): void {
  const { indexEntry, batch } = found
  if (batch === null || batch.magic < 2 || batch.position !== indexEntry.position || batch.position === 0)
    return
  if (batch.baseOffset <= baseOffset + BigInt(target)) return
  throw misleading(index, indexEntry.position, `a batch at offset ${batch.baseOffset}`)
}

/** The error for an entry whose `position` is none where a batch of the log begins. */
export function astray(index: OffsetIndexFile, position: number): PartitionLogError {
  return misleading(index, position, 'the middle of a batch')
}

function misleading(index: OffsetIndexFile, position: number, where: string): PartitionLogError {
  let nth = 0
  while (nth < index.entries && index.entry(nth).position !== position) nth++
  const entry = index.entry(nth)
  return corrupt(
    'index',
    index.path,
    `entry (${entry.relativeOffset} -> ${position}) leads to ${where}; ${REMEDY}`,
    { position: nth * index.entrySize, actual: entry },
  )
}

function checkLength(index: OffsetIndexFile | TimeIndexFile): void {
  if (index.oddBytes === 0) return
  throw corrupt('index', index.path, `its length is no multiple of ${index.entrySize}; ${REMEDY}`, {
    position: index.entries * index.entrySize,
  })
}
