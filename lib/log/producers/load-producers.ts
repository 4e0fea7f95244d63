/**
 * Producers when a log is opened: snapshots that no segment needs removed, the
 * transaction indexes read, the state brought to the log's end.
 */

import { CorruptionError } from '../../errors.js'
import type { Segment } from '../../segment/segment.js'
import type { AbortedTransaction } from '../../segment/transaction-index.js'
import type { LogCore } from '../log-core.js'
import { LogProducers } from './log-producers.js'
import { producerHeaders } from './producer-scan.js'
import { rebuildProducers } from './rebuild.js'
import { recoverProducers, remadeTransactionIndex } from './recover-producers.js'
import { listProducerFiles, removeSnapshot, straySnapshots } from './snapshot-files.js'
import { readTransactionIndex } from './transaction-index-files.js'

/** A damaged one is made anew from the batches, and nothing else changes: later snapshots stay. */
async function soundTransactionIndex(
  { env, state }: Pick<LogCore, 'env' | 'state'>,
  segment: Segment,
): Promise<readonly AbortedTransaction[]> {
  try {
    return await readTransactionIndex(env, segment)
  } catch (error) {
    if (!(error instanceof CorruptionError) || env.readOnly) throw error
    env.logger.warn(
      { log: env.name, error },
      `${env.name}: a transaction index is made anew: ${error.message}`,
    )
    return remadeTransactionIndex(env, state, segment)
  }
}

interface ScannedSegment {
  readonly baseOffset: bigint
  readonly nextOffset: bigint
}

export interface ProducerLoading {
  /** The last stop was a clean one. */
  readonly wasClosed: boolean
  /** The segments that recovery has scanned, by rising base offset; `nextOffset`: behind the last batch. */
  readonly scanned: readonly ScannedSegment[]
  /** Log start of the checkpoint, 0 where it has none: snapshots above it count for what is scanned. */
  readonly checkpointedStart: bigint
}

/** Of a log whose segments are loaded and whose offsets stand. */
export async function loadProducers(core: LogCore, loading: ProducerLoading): Promise<void> {
  const { wasClosed, scanned, checkpointedStart } = loading
  const { producers, state } = core
  for (const segment of scanned) await recoverScanned(core, checkpointedStart, segment)
  await fillProducers(core, wasClosed)
  producers.table.decideBelow(state.highWatermark)
  core.publish({ lastStableOffset: core.stableUpTo(state.highWatermark, state.logStartOffset) })
}

/** From the files, up to the log's end. */
export async function fillProducers(
  { env, producers, state }: Pick<LogCore, 'env' | 'producers' | 'state'>,
  wasClosed: boolean,
): Promise<void> {
  const { snapshots: offsets, transactionIndexes } = await listProducerFiles(env)
  for (const offset of offsets) producers.snapshots.add(offset)
  const baseOffsets = state.segments.map(({ baseOffset }) => baseOffset)
  for (const offset of straySnapshots(offsets, baseOffsets)) {
    if (env.readOnly) producers.snapshots.delete(offset)
    else await removeSnapshot(env, producers, offset)
  }
  for (const segment of state.segments) {
    if (!transactionIndexes.has(segment.baseOffset)) continue
    const entries = await soundTransactionIndex({ env, state }, segment)
    if (entries.length > 0) producers.aborted.set(segment, entries)
  }
  await rebuildProducers(producers, env, state, state.logEndOffset, wasClosed && !env.readOnly)
}

/** Each with a state of its own, which leaves a transaction index and a snapshot behind. */
async function recoverScanned(
  { env, state: { segments } }: LogCore,
  logStartOffset: bigint,
  { baseOffset, nextOffset }: ScannedSegment,
): Promise<void> {
  const segment = segments.find((other) => other.baseOffset === baseOffset)
  if (segment === undefined) return
  const producers = new LogProducers()
  const { snapshots } = await listProducerFiles(env)
  for (const offset of snapshots) producers.snapshots.add(offset)
  const headers = producerHeaders(env, segment, baseOffset, nextOffset)
  await recoverProducers(producers, env, { segments, logStartOffset }, segment, headers, nextOffset)
}
