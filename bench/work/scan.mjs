/**
 * Batch headers of a whole segment, one after the other, without checksums:
 * as a rebuild of producers asks a lane for them. Every field of every header
 * is there when a call has ended.
 */
import { join } from 'node:path'
import { loadBackend } from '../../dist/backend/load.js'
import { scansAhead } from '../../dist/segment/scans-ahead.js'
import { FIRST_SEGMENT, LOG } from './homes.mjs'

/** As a rebuild asks for. */
const BATCHES_PER_SCAN = 16_384

export const work = {
  'scan-300': (context) => scanning(context, 'log-300'),
  'scan-4k': (context) => scanning(context, 'log-4k'),
}

async function scanning({ backend: name, data, options }, set) {
  const { backend } = loadBackend(name)
  const lane = backend.openLane()
  const path = join(data[set], LOG, `${FIRST_SEGMENT}.log`)
  const log = backend.openLogFile(path, { mode: 'read', baseOffset: 0n })
  const round = async () => {
    const start = performance.now()
    const batches = await scanAll(lane, log)
    return { value: ((performance.now() - start) * 1e6) / batches, operations: batches }
  }
  for (const until = performance.now() + options.warmUpMs; performance.now() < until; ) await round()
  const close = async () => {
    await log.close()
    await lane.close()
  }
  return { round, close }
}

async function scanAll(lane, log) {
  const options = {
    fromPosition: 0,
    endPosition: log.sizeInBytes,
    maxBatches: BATCHES_PER_SCAN,
    checkCrc: false,
  }
  let total = 0
  let last
  for await (const { batches, stop } of scansAhead((chunk) => lane.scan(log, chunk), options)) {
    total += batches.count
    last = stop
  }
  if (last !== 'end') throw new Error(`the scan stopped: ${last}`)
  return total
}
