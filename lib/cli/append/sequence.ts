/**
 * Where a producer goes on in a log: as the log remembers it, else behind its
 * last batch there, found from the end backwards by segments.
 */

import { addToSequence } from '../../format/record-batch.js'
import { type Batch, type PartitionLog, recordBatches } from '../../index.js'
import { maxOffset } from '../../log/log-state.js'

/** Epoch and sequence of the producer's next record; 0 and 0 where the log has nothing of it. */
export async function nextSequence(
  log: PartitionLog,
  producerId: bigint,
): Promise<{ epoch: number; sequence: number }> {
  const { epoch, nextSequence } = log.producer({ id: producerId })
  if (epoch > 0 || nextSequence > 0) return { epoch, sequence: nextSequence }
  // One that has written nothing for long is forgotten; its batches may be there all the same.
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
      if (batch.producerId === producerId && batch.lastOffset < to) found = after(batch, found)
    }
    offset = nextOffset
  }
  return found
}

/** A marker has no sequence: in its own epoch the producer goes on, in a raised one at 0. */
function after(batch: Batch, before: { epoch: number; sequence: number } | undefined) {
  const { producerEpoch: epoch, lastSequence, isControl } = batch
  if (!isControl) return { epoch, sequence: addToSequence(lastSequence, 1) }
  return before?.epoch === epoch ? before : { epoch, sequence: 0 }
}
