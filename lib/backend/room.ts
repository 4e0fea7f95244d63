/**
 * Refusals before a write: whole entries, room in the index, room in the log.
 */

import { outOfRange, PartitionLogError } from '../errors.js'

/** Positions are int32 in the format, so no file may be longer. */
export const MAX_FILE_SIZE = 2_147_483_647

interface IndexLengths {
  readonly path: string
  readonly entries: number
  readonly capacity: number
  readonly entrySize: number
}

/** `ERR_NO_ROOM` unless the index is long enough for these further entries; a wrong length is a RangeError. */
export function requireIndexRoom(index: IndexLengths, entries: Uint8Array): void {
  if (entries.length % index.entrySize !== 0) {
    throw outOfRange('entries', `whole entries of ${index.entrySize} bytes`, entries.length)
  }
  const needed = index.entries + entries.length / index.entrySize
  if (needed <= index.capacity) return
  const message = `${index.path} has room for ${index.capacity} entries, not for ${needed}: roll the segment`
  throw new PartitionLogError('ERR_NO_ROOM', message, {
    path: index.path,
    expected: index.capacity,
    actual: needed,
  })
}

/** `ERR_NO_ROOM` where the log would be longer than the format can say. */
export function requireLogRoom(path: string, needed: number): void {
  if (needed <= MAX_FILE_SIZE) return
  const message = `${path} cannot grow to ${needed} bytes (at most ${MAX_FILE_SIZE}): roll the segment`
  throw new PartitionLogError('ERR_NO_ROOM', message, { path, expected: MAX_FILE_SIZE, actual: needed })
}
