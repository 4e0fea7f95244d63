/**
 * Producers of one segment that is being recovered after an unclean stop, as
 * Kafka's LogLoader.recoverSegment and LogSegment.recover do it.
 */

import { INT64_MAX } from '../../base/int64.js'
import type { Segment } from '../../segment/segment.js'
import type { AbortedTransaction } from '../../segment/transaction-index.js'
import type { LogEnvironment } from '../log-environment.js'
import { LogProducers } from './log-producers.js'
import type { ProducerHeader } from './producer-header.js'
import { producerHeaders } from './producer-scan.js'
import { type RebuiltLog, rebuildProducers } from './rebuild.js'
import { listProducerFiles, writeSnapshot } from './snapshot-files.js'
import { hasTransactionIndex, writeTransactionIndex } from './transaction-index-files.js'

/**
 * `headers` are the segment's valid batches in order, those without a producer
 * left out (`producerHeaderOf`, or `producerHeaders` of producer-scan once the
 * file is cut); `endOffset` is the offset behind the last valid batch of all.
 *
 * Brings `producers` to the segment's base from snapshots and the segments
 * below, takes the batches in, makes its transaction index anew, and takes a
 * snapshot at its end. `producers` is the recovery's own: when all segments
 * are done, `loadProducers` builds the log's from the snapshots left behind.
 * `producers.snapshots` must hold the offsets of the files (`listProducerFiles`).
 */
export async function recoverProducers(
  producers: LogProducers,
  env: LogEnvironment,
  log: RebuiltLog,
  segment: Segment,
  headers: AsyncIterable<readonly ProducerHeader[]> | Iterable<readonly ProducerHeader[]>,
  endOffset: bigint,
): Promise<void> {
  const { table, aborted } = producers
  await rebuildProducers(producers, env, log, segment.baseOffset)
  const hadIndex = await hasTransactionIndex(env, segment)
  aborted.set(segment, [])
  for await (const group of headers) {
    for (const header of group) takeOne(producers, segment, header)
  }
  if (hadIndex || aborted.of(segment).length > 0)
    await writeTransactionIndex(env, segment, aborted.of(segment))
  table.mapEndOffset = endOffset
  const snapshot = producers.takeSnapshot()
  if (snapshot !== undefined) await writeSnapshot(env, snapshot)
}

/** The entries of a segment's transaction index, made from its batches and written; no snapshot is taken or dropped. */
export async function remadeTransactionIndex(
  env: LogEnvironment,
  log: RebuiltLog,
  segment: Segment,
): Promise<readonly AbortedTransaction[]> {
  const producers = new LogProducers()
  for (const offset of (await listProducerFiles(env)).snapshots) {
    if (offset <= segment.baseOffset) producers.snapshots.add(offset)
  }
  // As for a log that is only read no file changes.
  await rebuildProducers(producers, { ...env, readOnly: true }, log, segment.baseOffset)
  for await (const group of producerHeaders(env, segment, segment.baseOffset, INT64_MAX)) {
    for (const header of group) takeOne(producers, segment, header)
  }
  const entries = producers.aborted.of(segment)
  await writeTransactionIndex(env, segment, entries)
  return entries
}

function takeOne({ table, aborted }: LogProducers, segment: Segment, header: ProducerHeader): void {
  const plan = table.plan([header], 'files')
  table.update(plan)
  for (const transaction of plan.completed) {
    const { producerId, firstOffset, lastOffset, isAborted } = transaction
    if (isAborted) {
      const lastStableOffset = table.stableAfter(transaction)
      aborted.add(segment, { producerId, firstOffset, lastOffset, lastStableOffset })
    }
    table.complete(transaction)
  }
}
