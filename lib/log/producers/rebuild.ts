/**
 * The state of producers at an offset, from the newest sound snapshot below and
 * the batches behind it. Follows Kafka's UnifiedLog.rebuildProducerState. A log
 * that is only read gets the same state, and no file of it changes.
 */

import { CorruptionError } from '../../errors.js'
import type { Segment } from '../../segment/segment.js'
import type { LogEnvironment } from '../log-environment.js'
import { maxOffset, minOffset } from '../log-state.js'
import type { LogProducers } from './log-producers.js'
import { producerHeaders } from './producer-scan.js'
import type { ProducerPlan } from './producer-table.js'
import { readSnapshot, removeSnapshot, writeSnapshot } from './snapshot-files.js'

/** The log, as far as it matters here. */
export interface RebuiltLog {
  /** By rising base offset. */
  readonly segments: readonly Segment[]
  readonly logStartOffset: bigint
}

/**
 * Brings `producers` to `lastOffset` and takes a snapshot there. Where the log
 * was closed cleanly and has no snapshot (`wasClosed`) it has never known a
 * producer: instead of a scan empty snapshots are taken at the last two
 * segments and at the end.
 */
export async function rebuildProducers(
  producers: LogProducers,
  env: LogEnvironment,
  log: RebuiltLog,
  lastOffset: bigint,
  wasClosed = false,
): Promise<void> {
  const { table } = producers
  const offsets = [...log.segments.slice(-2).map(({ baseOffset }) => baseOffset), lastOffset]
  if (producers.snapshots.size === 0 && (wasClosed || isRolledWithout(env, log))) {
    for (const offset of offsets) await snapshotAt(producers, env, offset)
    return
  }
  const wasEmpty = table.isEmpty && table.mapEndOffset >= lastOffset
  await truncateAndReload(producers, env, log.logStartOffset, lastOffset)
  if (lastOffset > table.mapEndOffset && !wasEmpty) {
    for (const segment of segmentsWithin(log.segments, table.mapEndOffset, lastOffset)) {
      const from = maxOffset(maxOffset(segment.baseOffset, table.mapEndOffset), log.logStartOffset)
      if (offsets.includes(segment.baseOffset)) await snapshotAt(producers, env, from)
      else table.mapEndOffset = from
      await takeSegment(producers, env, segment, from, lastOffset)
    }
  }
  await snapshotAt(producers, env, lastOffset)
}

/**
 * Of a log that is only read: brings `producers`, who know all up to the table's end, on to `lastOffset`. Batches below
 * the log's start count as well: a transaction that goes on may have begun there.
 */
export async function extendProducers(
  producers: LogProducers,
  env: LogEnvironment,
  segments: readonly Segment[],
  lastOffset: bigint,
): Promise<void> {
  const { table } = producers
  for (const segment of segmentsWithin(segments, table.mapEndOffset, lastOffset)) {
    const from = maxOffset(segment.baseOffset, table.mapEndOffset)
    table.mapEndOffset = from
    await takeSegment(producers, env, segment, from, lastOffset)
  }
  table.mapEndOffset = lastOffset
}

/** The table stands at the newest sound snapshot within the log, or empty at its start, unless it is at `lastOffset` already. */
async function truncateAndReload(
  producers: LogProducers,
  env: LogEnvironment,
  logStartOffset: bigint,
  lastOffset: bigint,
): Promise<void> {
  const { table, snapshots } = producers
  for (const offset of [...snapshots]) {
    if (offset > lastOffset || offset <= logStartOffset) await dropSnapshot(producers, env, offset)
  }
  if (lastOffset === table.mapEndOffset) {
    producers.startAt(logStartOffset)
    return
  }
  table.clear()
  for (;;) {
    const offset = producers.latestSnapshot
    const entries = offset === undefined ? [] : await readSnapshot(env, offset)
    if (entries === undefined) {
      await dropSnapshot(producers, env, offset as bigint)
      continue
    }
    table.load(entries, env.clock.nowMs(), env.producerLimits.producerIdExpirationMs)
    table.mapEndOffset = offset ?? logStartOffset
    producers.lastSnapshotOffset = table.mapEndOffset
    return
  }
}

/** Each roll takes a snapshot: of a log that is only read, where none is, nobody has kept one. */
function isRolledWithout({ readOnly }: LogEnvironment, { segments }: RebuiltLog): boolean {
  return readOnly && segments.length > 1
}

/** What a log that is only read holds behind damage stays unknown; who reads there is told. */
async function takeSegment(
  producers: LogProducers,
  env: LogEnvironment,
  segment: Segment,
  from: bigint,
  to: bigint,
): Promise<void> {
  let planned: ProducerPlan | undefined
  try {
    for await (const headers of producerHeaders(env, segment, from, to)) {
      planned = producers.table.plan(headers, 'files', { planned })
    }
  } catch (error) {
    if (!env.readOnly || !(error instanceof CorruptionError)) throw error
    env.logger.warn(
      { log: env.name, error },
      `${env.name}: producers behind damage are not known: ${error.message}`,
    )
  }
  if (planned !== undefined) take(producers, env, segment, planned)
}

/** Batches of the log itself; completed transactions have their entry in the index already. */
function take(producers: LogProducers, env: LogEnvironment, segment: Segment, plan: ProducerPlan): void {
  const { table, aborted } = producers
  table.update(plan)
  for (const transaction of plan.completed) {
    const { producerId, firstOffset, lastOffset, isAborted } = transaction
    // Beside a writer the marker may be seen before the index.
    const isMissing = () => aborted.of(segment).every((entry) => entry.lastOffset !== lastOffset)
    if (isAborted && env.readOnly && isMissing()) {
      // Those that began behind the marker are in the table too.
      const lastStableOffset = minOffset(table.stableAfter(transaction), lastOffset + 1n)
      aborted.add(segment, { producerId, firstOffset, lastOffset, lastStableOffset })
    }
    table.complete(transaction)
  }
}

async function snapshotAt(producers: LogProducers, env: LogEnvironment, offset: bigint): Promise<void> {
  producers.table.mapEndOffset = offset
  if (env.readOnly) return
  const snapshot = producers.takeSnapshot()
  if (snapshot !== undefined) await writeSnapshot(env, snapshot)
}

/** Of a log that is only read the file stays, and does not count. */
async function dropSnapshot(producers: LogProducers, env: LogEnvironment, offset: bigint): Promise<void> {
  if (env.readOnly) producers.snapshots.delete(offset)
  else await removeSnapshot(env, producers, offset)
}

/** From the one that holds `from` on, those that begin below `to`. */
export function segmentsWithin(segments: readonly Segment[], from: bigint, to: bigint): readonly Segment[] {
  if (from === to) return []
  const floor = segments.findLastIndex(({ baseOffset }) => baseOffset <= from)
  return segments.filter(({ baseOffset }, index) => index >= floor && baseOffset < to)
}
