/**
 * Producers when a log is opened: snapshots that no segment needs removed, the
 * transaction indexes read, the state brought to the log's end.
 */

import type { LogCore } from '../log-core.js'
import { rebuildProducers } from './rebuild.js'
import { listSnapshots, removeSnapshot, straySnapshots } from './snapshot-files.js'
import { readTransactionIndex } from './transaction-index-files.js'

/** Of a log whose segments are loaded and whose offsets stand; `wasClosed`: the last stop was a clean one. */
export async function loadProducers(core: LogCore, wasClosed: boolean): Promise<void> {
  const { env, producers, state } = core
  const offsets = await listSnapshots(env)
  for (const offset of offsets) producers.snapshots.add(offset)
  const baseOffsets = state.segments.map(({ baseOffset }) => baseOffset)
  for (const offset of straySnapshots(offsets, baseOffsets)) {
    if (env.readOnly) producers.snapshots.delete(offset)
    else await removeSnapshot(env, producers, offset)
  }
  for (const segment of state.segments) {
    const entries = await readTransactionIndex(env, segment)
    if (entries.length > 0) producers.aborted.set(segment, entries)
  }
  await rebuildProducers(producers, env, state, state.logEndOffset, wasClosed && !env.readOnly)
  producers.table.decideBelow(state.highWatermark)
  core.publish({ lastStableOffset: core.stableUpTo(state.highWatermark, state.logStartOffset) })
}
