/**
 * Closing a log: what is clean on disk when it is done is what a later start
 * relies on.
 */

import type { Flusher } from './flusher.js'
import type { LogCore } from './log-core.js'
import { activeSegment } from './log-state.js'

/**
 * True for a clean close: the active segment got its last time index entry,
 * its files are trimmed, everything is on disk. False where the log was
 * offline, which leaves the files as they are.
 */
export async function closeLog(
  core: LogCore,
  flusher: Flusher,
  flush: () => Promise<void>,
): Promise<boolean> {
  const writes = core.condition === 'open' && !core.env.readOnly
  await core.beginClose()
  try {
    if (writes) await sealAndFlush(core, flush)
    else await flusher.idle()
    return core.condition === 'open'
  } finally {
    core.close()
    await Promise.all(core.state.segments.map((segment) => segment.closeFiles()))
  }
}

async function sealAndFlush(core: LogCore, flush: () => Promise<void>): Promise<void> {
  await flush()
  const active = activeSegment(core.state)
  active.seal()
  const { files, flushed } = active.unflushed()
  await core.env.flushLane.flush(files)
  await core.env.flushLane.flushPath(core.env.directory)
  flushed()
}
