/**
 * Closing a log: what is clean on disk when it is done is what a later start
 * relies on.
 */

import type { Segment } from '../segment/segment.js'
import type { Flusher } from './flusher.js'
import type { LogCore } from './log-core.js'
import { asLogError } from './log-error.js'
import type { LogHost } from './log-host.js'
import { activeSegment } from './log-state.js'
import { writeSnapshot } from './producers/snapshot-files.js'

/** What closing makes durable besides the active segment. */
export interface CloseSteps {
  /** Everything appended, and the leader epochs. */
  flushAll(): Promise<void>
  /** The log's offsets, into the directory's checkpoints. */
  saveOffsets(): Promise<void>
}

/** Closes a log and tells its host how that went; a log that stays open keeps its host. */
export async function closeHosted(
  core: LogCore,
  flusher: Flusher,
  host: LogHost,
  steps: CloseSteps,
): Promise<void> {
  // Appends are refused from the moment of the call.
  await Promise.all([core.beginClose(), host.closing?.()])
  let clean = false
  try {
    clean = await closeLog(core, flusher, steps)
  } catch (error) {
    if (core.condition !== 'open') await host.closed(false)
    throw error
  }
  await host.closed(clean)
}

/**
 * True for a clean close: the active segment got its last time index entry,
 * its files are trimmed, everything is on disk; of a log that nobody changed
 * all is as it was found. False where the log was offline, which leaves the files
 * as they are. A full disk leaves the log open (`ERR_DISK_FULL`): free space
 * and close again.
 */
async function closeLog(core: LogCore, flusher: Flusher, steps: CloseSteps): Promise<boolean> {
  await core.beginClose()
  const writes = core.condition === 'open' && !core.env.readOnly
  try {
    if (writes) await sealAndSave(core, steps)
    else await flusher.idle()
  } catch (error) {
    if (core.condition === 'open' && asLogError(error).code === 'ERR_DISK_FULL') {
      core.cancelClose()
      throw error
    }
    await letGo(core)
    throw error
  }
  const clean = core.condition === 'open'
  await letGo(core)
  return clean
}

/** Lets go of a log that is being deleted: nothing is flushed or written. */
export async function discardLog(core: LogCore): Promise<void> {
  await core.beginClose()
  await letGo(core)
}

async function sealAndSave(core: LogCore, { flushAll, saveOffsets }: CloseSteps): Promise<void> {
  await flushAll()
  await snapshotAtEnd(core)
  const active = activeSegment(core.state)
  if (active.isUntouched) active.takeRoomBack()
  else await sealDurably(core, active)
  await saveOffsets()
}

/** On a full disk it is due again with the next try. */
async function snapshotAtEnd({ producers, env }: LogCore): Promise<void> {
  const before = producers.lastSnapshotOffset
  const snapshot = producers.takeSnapshot()
  if (snapshot === undefined) return
  try {
    await writeSnapshot(env, snapshot)
  } catch (error) {
    producers.lastSnapshotOffset = before
    producers.snapshots.delete(snapshot.offset)
    throw error
  }
}

async function sealDurably(core: LogCore, active: Segment): Promise<void> {
  active.seal()
  try {
    await active.flush(core.env.flushLane)
    await core.env.flushLane.flushPath(core.env.directory)
  } catch (error) {
    // A failed fsync is final, whatever its errno.
    core.goOffline(asLogError(error))
    throw error
  }
}

async function letGo(core: LogCore): Promise<void> {
  core.close()
  await Promise.all(core.state.segments.map((segment) => segment.retire()))
}
