/**
 * A scan's columns as views of the one ArrayBuffer that native code fills:
 * five of int64, then nine of 32 bits, each `count` long, in this order.
 */

import type { BatchColumns } from '../contract.js'

const BYTES_WIDE = 8
const BYTES_NARROW = 4
const WIDE_COLUMNS = 5

export function unpackColumns(buffer: ArrayBuffer, count: number): BatchColumns {
  const wide = (n: number) => new BigInt64Array(buffer, n * count * BYTES_WIDE, count)
  const narrowAt = (n: number) => WIDE_COLUMNS * count * BYTES_WIDE + n * count * BYTES_NARROW
  const narrow = (n: number) => new Int32Array(buffer, narrowAt(n), count)
  return {
    count,
    positions: narrow(0),
    sizes: narrow(1),
    magics: narrow(2),
    attributes: narrow(3),
    leaderEpochs: narrow(4),
    crcs: new Uint32Array(buffer, narrowAt(5), count),
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
