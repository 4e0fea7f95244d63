/**
 * The two kinds of index entries as bytes: how long they are, what their key
 * is, how they decode.
 */

import type { OffsetIndexEntry, TimeIndexEntry } from '../contract.js'

export interface EntryForm<Key, Entry> {
  readonly kind: 'offset' | 'time'
  readonly entrySize: 8 | 12
  key(bytes: Buffer, at: number): Key
  decode(bytes: Buffer, at: number): Entry
}

/** int32 relative offset, int32 position. */
export const OFFSET_ENTRY: EntryForm<number, OffsetIndexEntry> = {
  kind: 'offset',
  entrySize: 8,
  key: (bytes, at) => bytes.readInt32BE(at),
  decode: (bytes, at) => ({ relativeOffset: bytes.readInt32BE(at), position: bytes.readInt32BE(at + 4) }),
}

/** int64 timestamp, int32 relative offset. */
export const TIME_ENTRY: EntryForm<bigint, TimeIndexEntry> = {
  kind: 'time',
  entrySize: 12,
  key: (bytes, at) => bytes.readBigInt64BE(at),
  decode: (bytes, at) => ({ timestamp: bytes.readBigInt64BE(at), relativeOffset: bytes.readInt32BE(at + 8) }),
}
