/**
 * Where a producer goes on in a log: its last batch there, found from the end
 * backwards by segments, by headers alone.
 */

import { addToSequence } from '../../format/record-batch.js'
import { type Batch, type PartitionLog, recordBatches } from '../../index.js'
import { maxOffset } from '../../log/log-state.js'

/** Epoch and sequence of the producer's next record; 0 and 0 where the log has nothing of it. */
export async function nextSequence(
  log: PartitionLog,
  producerId: bigint,
): Promise<{ epoch: number; sequence: number }> {
  for (const { baseOffset, nextOffset } of [...log.segments].reverse()) {
    const from = maxOffset(baseOffset, log.offsets.logStartOffset)
    const batch = await lastBatchOf(log, producerId, from, nextOffset)
    if (batch !== undefined) return batch
  }
  return { epoch: 0, sequence: 0 }
}

async function lastBatchOf(
  log: PartitionLog,
  producerId: bigint,
  from: bigint,
  to: bigint,
): Promise<{ epoch: number; sequence: number } | undefined> {
  let found: { epoch: number; sequence: number } | undefined
  let offset = from
  while (offset < to) {
    const { batches, nextOffset } = await log.fetch(offset)
    if (nextOffset <= offset) return found
    for (const batch of recordBatches(batches)) {
      if (batch.producerId === producerId && batch.lastOffset < to) found = after(batch)
    }
    offset = nextOffset
  }
  return found
}

/** A marker has no sequence (-1): behind one the producer goes on at 0, in the marker's epoch. */
function after({ producerEpoch, lastSequence }: Batch): { epoch: number; sequence: number } {
  return { epoch: producerEpoch, sequence: addToSequence(lastSequence, 1) }
}
