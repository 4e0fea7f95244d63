/**
 * The batches of a segment that have a producer, read from its file off the
 * event loop: headers by scans, and of control batches the marker too.
 */

import { recordBatches } from '../../format/batches.js'
import { damagedBatch } from '../../segment/batch-header.js'
import { scansAhead } from '../../segment/scans-ahead.js'
import type { Segment } from '../../segment/segment.js'
import type { LogEnvironment } from '../log-environment.js'
import { markerOf, type ProducerHeader, producerHeaderAt } from './producer-header.js'

const BATCHES_PER_SCAN = 1024

/**
 * In order, in groups; from the batch that holds `from` on, up to the one that
 * holds `to`, which is left out. Throws `ERR_CORRUPT` where the bytes between are no batches.
 */
export async function* producerHeaders(
  env: LogEnvironment,
  segment: Segment,
  from: bigint,
  to: bigint,
): AsyncGenerator<ProducerHeader[], void, undefined> {
  const endPosition = (await positionOf(env, segment, to)) ?? segment.sizeInBytes
  const fromPosition = (await positionOf(env, segment, from)) ?? endPosition
  if (fromPosition >= endPosition) return
  const options = { fromPosition, endPosition, maxBatches: BATCHES_PER_SCAN, checkCrc: false }
  for await (const scan of scansAhead((chunk) => segment.scan(env.readLane, chunk), options)) {
    const { batches } = scan
    const headers: ProducerHeader[] = []
    for (let row = 0; row < batches.count; row++) {
      const header = producerHeaderAt(batches, row)
      if (header === undefined) continue
      const place = { position: batches.positions[row] as number, sizeInBytes: batches.sizes[row] as number }
      headers.push(header.isControl ? await withMarkerOf(env, segment, header, place) : header)
    }
    yield headers
    if (scan.stop !== 'limit' && scan.stop !== 'end')
      throw damagedBatch(segment.logPath, scan.endPosition, scan.stop)
  }
}

/** Of the first batch whose last offset is at least `offset`; undefined where none is. */
async function positionOf(
  env: LogEnvironment,
  segment: Segment,
  offset: bigint,
): Promise<number | undefined> {
  if (offset <= segment.baseOffset) return 0
  const relative = offset - segment.baseOffset
  if (relative > BigInt(2 ** 31 - 1)) return undefined
  const bounds = { fromPosition: 0, endPosition: segment.sizeInBytes, maxBytes: 0, minOneBatch: false }
  return (await segment.slice(env.readLane, Number(relative), bounds))?.position
}

async function withMarkerOf(
  env: LogEnvironment,
  segment: Segment,
  header: ProducerHeader,
  { position, sizeInBytes }: { readonly position: number; readonly sizeInBytes: number },
): Promise<ProducerHeader> {
  const bytes = await segment.read(env.readLane, position, sizeInBytes)
  const source = { path: segment.logPath, position }
  for (const batch of recordBatches(bytes, { ...env.limits, source })) {
    if (batch.codec !== 'none') {
      await env.loadCodec(batch.codec)
      await batch.load()
    }
    return { ...header, marker: markerOf(batch) }
  }
  return header
}
