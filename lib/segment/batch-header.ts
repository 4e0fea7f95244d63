/**
 * What a segment needs to know of a batch's first bytes.
 */

import type { LogFile } from '../backend/contract.js'
import { corrupt, type PartitionLogError } from '../errors.js'
import * as layout from '../format/layout.js'

/** The error for a batch header that cannot be one, at `position` of a `.log`. */
export function damagedBatch(path: string, position: number, stop: string): PartitionLogError {
  const kind = stop.startsWith('torn') ? 'torn-tail' : 'batch'
  const message = `no sound batch here (${stop}); plog verify tells more; readOnly: true reads what lies before`
  return corrupt(kind, path, message, { position, validBytes: position })
}

/** First bytes of the first batch, cut where the log is shorter. Blocks. */
export function firstHeader(log: LogFile): Buffer {
  return log.readBlocking(0, Math.min(layout.RECORDS_AT, log.sizeInBytes))
}

/** Largest timestamp of the batch whose first bytes are `header`; -1 for magic 0 or a cut header. */
export function maxTimestampIn(header: Buffer): bigint {
  const magic = header[layout.MAGIC_AT]
  if (magic === 2 && header.length >= layout.RECORDS_AT) return header.readBigInt64BE(layout.MAX_TIMESTAMP_AT)
  if (magic === 1 && header.length >= layout.LEGACY_V1_OVERHEAD)
    return header.readBigInt64BE(layout.LEGACY_TIMESTAMP_AT)
  return layout.NO_TIMESTAMP
}
