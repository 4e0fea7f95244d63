/**
 * Splits a segment whose offsets do not all lie within 31 bits of its base, as
 * very old brokers left them (KAFKA-6264). The protocol is a cleaning's: a
 * stop before the last `.swap` leaves the segment as it was, a stop after it
 * is finished by the next start.
 */

import { join } from 'node:path'
import type { LogFile } from '../../backend/contract.js'
import type { LogConfig } from '../../config/settings.js'
import { fileName } from '../../segment/names.js'
import type { StoredSegment } from '../directory-plan.js'
import { NO_EPOCHS } from '../leader-epochs.js'
import type { LogEnvironment } from '../log-environment.js'
import type { Changes } from './changes.js'
import { scanSegment } from './scan-segment.js'

const COPY_BYTES = 8 << 20
const KINDS = ['log', 'index', 'timeindex'] as const

interface Piece {
  readonly baseOffset: bigint
  readonly from: number
  readonly to: number
}

/** Base offsets of the segments that took its place, durable on return. `log`: the whole segment, sound, open. */
export async function splitSegment(
  env: LogEnvironment,
  config: LogConfig,
  changes: Changes,
  split: { readonly segment: StoredSegment; readonly log: LogFile; readonly splitAt: readonly number[] },
): Promise<bigint[]> {
  const pieces = await piecesOf(env, split.log, split.splitAt)
  for (const piece of pieces) await writePiece(env, config, split.log, piece)
  await changes.flushDirectory()
  for (const { baseOffset } of [...pieces].reverse()) {
    for (const kind of KINDS) await moveOn(changes, fileName(baseOffset, kind), '.cleaned', '.swap')
    await changes.flushDirectory()
  }
  await changes.removeSegments([split.segment])
  for (const { baseOffset } of pieces) {
    for (const kind of KINDS) await moveOn(changes, fileName(baseOffset, kind), '.swap', '')
  }
  await changes.flushDirectory()
  return pieces.map(({ baseOffset }) => baseOffset)
}

function moveOn(changes: Changes, name: string, from: string, to: string): Promise<void> {
  return changes.rename(`${name}${from}`, `${name}${to}`)
}

async function piecesOf(env: LogEnvironment, log: LogFile, splitAt: readonly number[]): Promise<Piece[]> {
  // Its very first batch can lie too far: then the base alone changes.
  const starts = [...new Set([0, ...splitAt])]
  const pieces: Piece[] = []
  for (const [index, from] of starts.entries()) {
    const bounds = { fromPosition: from, endPosition: log.sizeInBytes, maxBatches: 1, checkCrc: false }
    const { batches } = await env.readLane.scan(log, bounds)
    pieces.push({
      baseOffset: batches.baseOffsets[0] as bigint,
      from,
      to: starts[index + 1] ?? log.sizeInBytes,
    })
  }
  return pieces
}

/** Its three files as `.cleaned`, on disk on return. */
async function writePiece(
  env: LogEnvironment,
  config: LogConfig,
  from: LogFile,
  piece: Piece,
): Promise<void> {
  const { backend, directory, files, readLane, flushLane } = env
  const { baseOffset } = piece
  const path = (kind: (typeof KINDS)[number]) => join(directory, `${fileName(baseOffset, kind)}.cleaned`)
  const index = { mode: 'create', capacityBytes: 0 } as const
  const log = backend.openLogFile(path('log'), { mode: 'create', baseOffset })
  const offsetIndex = backend.openIndexFile(path('index'), { ...index, kind: 'offset' })
  const timeIndex = backend.openIndexFile(path('timeindex'), { ...index, kind: 'time' })
  try {
    for (let at = piece.from; at < piece.to; at += COPY_BYTES) {
      const bytes = await readLane.read(from, at, Math.min(COPY_BYTES, piece.to - at))
      log.append({ bytes, length: bytes.length, seal: false }, offsetIndex, timeIndex)
    }
    await flushLane.flush([log])
    const { offsetEntries, timeEntries } = await scanSegment({
      lane: readLane,
      log,
      config,
      epochs: NO_EPOCHS,
    })
    await files.write(path('index'), offsetEntries)
    await files.write(path('timeindex'), timeEntries)
  } finally {
    await Promise.all([log.close(), offsetIndex.close(), timeIndex.close()])
  }
  await flushLane.flushPath(path('index'))
  await flushLane.flushPath(path('timeindex'))
}
