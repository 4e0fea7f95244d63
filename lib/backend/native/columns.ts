/**
 * A scan's columns as views of the one ArrayBuffer that native code fills:
 * five of int64, then nine of 32 bits, each as long as all have room, in this
 * order (native/core/batch_rows.h).
 */

import type { BatchColumns } from '../contract.js'

const BYTES_WIDE = 8
const BYTES_NARROW = 4
const WIDE_COLUMNS = 5

const BYTES_A_ROW = WIDE_COLUMNS * BYTES_WIDE + 9 * BYTES_NARROW
/** One answer holds no more, which bounds what is asked for in advance: 5 MB. */
const MOST_ROWS = 65_536
/** Of a batch: an old one of magic 0 without key and value. */
const LEAST_BATCH_BYTES = 26

/** Memory for the rows of a scan of so many bytes; that of `used` where it is enough. */
export function memoryOfRows(bytes: number, maxBatches: number, used: BatchColumns | undefined): ArrayBuffer {
  const rows = Math.min(maxBatches, MOST_ROWS, Math.floor(bytes / LEAST_BATCH_BYTES) + 1)
  const memory = used?.positions.buffer
  const isEnough = memory instanceof ArrayBuffer && rowsIn(memory) >= rows
  return isEnough ? memory : new ArrayBuffer(rows * BYTES_A_ROW)
}

export function columnsOf(memory: ArrayBuffer, count: number): BatchColumns {
  const rows = rowsIn(memory)
  const wide = (n: number) => new BigInt64Array(memory, n * rows * BYTES_WIDE, count)
  const narrowAt = (n: number) => WIDE_COLUMNS * rows * BYTES_WIDE + n * rows * BYTES_NARROW
  const narrow = (n: number) => new Int32Array(memory, narrowAt(n), count)
  return {
    count,
    positions: narrow(0),
    sizes: narrow(1),
    magics: narrow(2),
    attributes: narrow(3),
    leaderEpochs: narrow(4),
    crcs: new Uint32Array(memory, narrowAt(5), count),
    counts: narrow(6),
    producerEpochs: narrow(7),
    baseSequences: narrow(8),
    baseOffsets: wide(0),
    lastOffsets: wide(1),
    baseTimestamps: wide(2),
    maxTimestamps: wide(3),
    producerIds: wide(4),
  }
}

function rowsIn(memory: ArrayBuffer): number {
  return Math.floor(memory.byteLength / BYTES_A_ROW)
}
