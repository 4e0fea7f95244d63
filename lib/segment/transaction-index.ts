/**
 * Entries of a `.txnindex`, the aborted transactions of a segment, in file
 * form. Pure. 34 bytes each:
 *
 *   int16 version 0 | int64 producer id | int64 first offset
 *   | int64 last offset | int64 last stable offset
 */

import { corrupt } from '../errors.js'

export const TRANSACTION_ENTRY_BYTES = 34
const VERSION = 0

export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
  readonly lastOffset: bigint
  /** Last stable offset when the transaction ended. */
  readonly lastStableOffset: bigint
}

/**
 * All entries. Throws `ERR_CORRUPT` with the position for an odd length, an unknown version,
 * or last offsets that fall or lie below `baseOffset`.
 */
export function parseTransactionIndex(path: string, bytes: Buffer, baseOffset: bigint): AbortedTransaction[] {
  const entries: AbortedTransaction[] = []
  let lastBefore = baseOffset
  for (let position = 0; position < bytes.length; position += TRANSACTION_ENTRY_BYTES) {
    const fault = (message: string) =>
      corrupt('index', path, `${message}; remove the file to have it rebuilt from the log`, { position })
    if (bytes.length - position < TRANSACTION_ENTRY_BYTES) throw fault('the last entry is cut short')
    const version = bytes.readInt16BE(position)
    if (version !== VERSION) throw fault(`unknown entry version ${version}`)
    const entry = parseEntry(bytes, position)
    if (entry.lastOffset < lastBefore) throw fault(`last offset ${entry.lastOffset} is below ${lastBefore}`)
    lastBefore = entry.lastOffset
    entries.push(entry)
  }
  return entries
}

/**
 * Those with records in `[from, to)`; `lists` are the entries of segments, from the one that holds `from` on. A transaction's
 * entry lies where its marker is, so later segments are asked too, up to an entry that says that none begins before `to` any more.
 */
export function abortedIn(
  lists: Iterable<readonly AbortedTransaction[]>,
  from: bigint,
  to: bigint,
): AbortedTransaction[] {
  const found: AbortedTransaction[] = []
  for (const entries of lists) {
    for (const entry of entries) {
      if (entry.lastOffset >= from && entry.firstOffset < to) found.push(entry)
      if (entry.lastStableOffset >= to) return found
    }
  }
  return found
}

export function transactionEntry(entry: AbortedTransaction): Buffer {
  const bytes = Buffer.allocUnsafe(TRANSACTION_ENTRY_BYTES)
  bytes.writeInt16BE(VERSION, 0)
  bytes.writeBigInt64BE(entry.producerId, 2)
  bytes.writeBigInt64BE(entry.firstOffset, 10)
  bytes.writeBigInt64BE(entry.lastOffset, 18)
  bytes.writeBigInt64BE(entry.lastStableOffset, 26)
  return bytes
}

function parseEntry(bytes: Buffer, position: number): AbortedTransaction {
  return {
    producerId: bytes.readBigInt64BE(position + 2),
    firstOffset: bytes.readBigInt64BE(position + 10),
    lastOffset: bytes.readBigInt64BE(position + 18),
    lastStableOffset: bytes.readBigInt64BE(position + 26),
  }
}
