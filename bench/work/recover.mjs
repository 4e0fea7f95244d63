/**
 * Recovering one segment as a start after an unclean stop does: its file is
 * opened, scanned with checksums on a lane, and its two indexes are written.
 * Kafka's LogSegment.recover makes nothing durable, and neither does what is
 * timed here; how long our recovery then waits for the disk is `extra.keepMs`.
 */
import { linkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '../../dist/backend/files.js'
import { loadBackend } from '../../dist/backend/load.js'
import { resolveLogConfig } from '../../dist/config/log-config.js'
import { LeaderEpochs } from '../../dist/log/leader-epochs.js'
import { FileChanges } from '../../dist/log/recovery/changes.js'
import { scanSegment } from '../../dist/log/recovery/scan-segment.js'
import { FIRST_SEGMENT, LOG } from './homes.mjs'
import { callsEach } from './rounds.mjs'

const BYTES_PER_MS_A_MB_S = 1000

export const work = {
  'recover-300': (context) => recovery(context, 'log-300'),
  'recover-4k': (context) => recovery(context, 'log-4k'),
}

async function recovery({ backend: name, directory, data, options, calls }, set) {
  const path = join(directory, `${FIRST_SEGMENT}.log`)
  linkSync(join(data[set], LOG, `${FIRST_SEGMENT}.log`), path)
  const { backend } = loadBackend(name)
  const [lane, flushLane] = [backend.openLane(), backend.openLane()]
  const subject = { backend, lane, path, directory, sizeInBytes: statSync(path).size }
  const changes = new FileChanges({ directory, backend, flushLane, files: nodeFiles }, undefined)
  const round = async () => {
    const before = calls()
    const start = performance.now()
    const found = await recover(subject)
    const ms = performance.now() - start
    const each = callsEach(before, calls(), 1)
    const beforeKeep = performance.now()
    await changes.keep({ baseOffset: 0n, storedAs: `${FIRST_SEGMENT}.log` }, found)
    const keepMs = performance.now() - beforeKeep
    const value = subject.sizeInBytes / ms / BYTES_PER_MS_A_MB_S
    return { value, operations: 1, ...each, extra: { keepMs } }
  }
  for (const until = performance.now() + options.warmUpMs; performance.now() < until; ) await round()
  return { round, close: () => Promise.all([lane.close(), flushLane.close()]) }
}

/** What LogRecovery does with a segment that is sound, but for making it durable. */
async function recover({ backend, lane, path, directory, sizeInBytes }) {
  const log = backend.openLogFile(path, { mode: 'read', baseOffset: 0n })
  const found = await scanSegment({ lane, log, config: resolveLogConfig({}), epochs: new LeaderEpochs([]) })
  await log.close()
  if (found.stop !== 'end' || found.validBytes !== sizeInBytes) throw new Error('the segment is not sound')
  await nodeFiles.write(join(directory, `${FIRST_SEGMENT}.index`), found.offsetEntries)
  await nodeFiles.write(join(directory, `${FIRST_SEGMENT}.timeindex`), found.timeEntries)
  return found
}
