/**
 * From a step of a random script to the operation that it is in this log now.
 *
 * Here, and nowhere else, random scripts are kept away from what is meant to
 * differ and would lead the contenders apart (`meant-differences.ts` shows
 * each of those in a case of its own). Each such turn names its difference.
 */
import { segmentBytesOf } from '../../../lib/config/log-config.js'
import { recordBatches } from '../../../lib/format/batches.js'
import { type EncodeBatchOptions, encodeBatch } from '../../../lib/format/encode-batch.js'
import { ATTRIBUTES_AT } from '../../../lib/format/layout.js'
import { damaged } from './damage.js'
import { type Operation, type RecordSpec, toBase64 } from './operation.js'
import { markerBytes, nextOf, PRODUCER_IDS, producerTurn } from './producers.js'
import { recordInput } from './record-input.js'
import type { Place, SomeBatch, SomeRecord, Step, Time } from './script.js'
import type { View } from './view.js'

const INT32_MAX = 2 ** 31 - 1

export function resolve(step: Step, view: View): Operation {
  switch (step.kind) {
    case 'append':
      return append(step, view)
    case 'leader':
      return leader(encode(step, view), step.epochsOn ?? 0, view)
    case 'produce':
      return produce(step, view)
    case 'marker':
      return marker(step, view)
    case 'damaged':
      return leader(damaged(encode(step.batch, view), step.damage, step.by), 0, view)
    case 'follower':
      return follower(step, view)
    case 'highWatermark':
    case 'deleteBefore':
    case 'truncate':
      return cut(step.kind, offsetAt(step.place, view), view)
    case 'locate':
    case 'read':
      return { op: step.kind, offset: `${clamped(offsetAt(step.place, view), view)}`, ...isolationOf(step) }
    case 'fetch':
      return fetch(step, view)
    case 'time':
      return { op: 'time', timestamp: `${timeNear(step, view)}` }
    case 'epochEnd':
      return { op: 'epochEnd', epoch: epochNear(step, view) }
    case 'advance':
      return { op: 'advance', ms: `${step.ms}` }
    case 'crash':
      return crash(step, view)
    case 'flush':
      return { op: 'flush', force: step.force }
    case 'configure':
      return { op: 'configure', settings: step.settings }
    default:
      return { op: step.kind }
  }
}

/** In an exact script a contender may not compress itself: two encoders need not give the same bytes. */
function append(step: Extract<Step, { kind: 'append' | 'leader' }>, view: View): Operation {
  const codec = view.comparison === 'exact' ? 'none' : step.codec
  // The epoch that ours goes on in, where Kafka has dropped it.
  const isTold = step.epochsOn !== null || view.hasEpochAtEnd
  const leaderEpoch = isTold ? view.latestEpoch + (step.epochsOn ?? 0) : null
  return {
    op: 'append',
    records: step.records.map((record, n) => specOf(record, n, view)),
    codec,
    leaderEpoch,
  }
}

function produce(step: Extract<Step, { kind: 'produce' }>, view: View): Operation {
  const { producer, count } = producerTurn(step, view)
  const all = Array.from({ length: count }, (_, n) => step.records[n % step.records.length] as SomeRecord)
  if (step.via === 'append') {
    const appended = append({ kind: 'append', records: all, codec: step.codec, epochsOn: null }, view)
    return { ...(appended as Extract<Operation, { op: 'append' }>), producer }
  }
  return leader(encode({ records: all, codec: step.codec }, view, { producer }), 0, view)
}

function marker(step: Extract<Step, { kind: 'marker' }>, view: View): Operation {
  const { commit, transactionVersion } = step
  const producerId = PRODUCER_IDS[step.who] as string
  const known = view.state.producers.find((producer) => producer.producerId === producerId)
  return {
    op: 'marker',
    producerId,
    producerEpoch: Math.max(0, (known?.producerEpoch ?? 0) + step.epochsOn),
    commit,
    coordinatorEpoch: Math.max(0, Math.max(0, known?.coordinatorEpoch ?? 0) + step.coordinatorsOn),
    leaderEpoch: view.latestEpoch,
    transactionVersion,
  }
}

function isolationOf({ committed }: { readonly committed?: boolean }) {
  return committed === true ? { isolation: 'committed' as const } : {}
}

/** Avoids 'an epoch below the latest'. */
function leader(bytes: Uint8Array, epochsOn: number, view: View): Operation {
  return { op: 'leader', bytes: toBase64(bytes), leaderEpoch: view.latestEpoch + epochsOn }
}

function follower(step: Extract<Step, { kind: 'follower' }>, view: View): Operation {
  const parts = followerBatches(step, view)
  const faulty = parts.length > 0 ? withFault(parts, step.fault, view) : parts
  const bytes = Buffer.concat(faulty)
  const cut = bytes.subarray(0, Math.max(0, bytes.length - step.cutBytes))
  const leaderEpoch = step.knows === null ? INT32_MAX : view.latestEpoch + step.knows
  return { op: 'follower', bytes: toBase64(cut), leaderEpoch }
}

/**
 * As many batches as one segment surely takes. Avoids 'a follower's append
 * above segment.bytes', 'no room in an index', 'batches of one append further
 * apart than 31 bits' and 'batches that overlap'.
 */
function followerBatches(step: Extract<Step, { kind: 'follower' }>, view: View): Buffer[] {
  const parts: Buffer[] = []
  let next = view.end
  let bytesLeft = segmentBytesOf(view.config)
  const most = batchesWithRoom(view)
  for (const [index, batch] of step.batches.entries()) {
    const below = index === 0 && step.fault === 'below-end' ? -1n : 0n
    const baseOffset = next + gapBefore(batch.gap, index === 0 && step.far, view) + below
    if (baseOffset < 0n) return []
    // An epoch that begins at the end, and that Kafka has dropped, would take those before it along if it fell.
    const epochsOn = index === 0 && view.hasEpochAtEnd ? Math.max(0, batch.epoch) : batch.epoch
    // Avoids 'a batch without an epoch'.
    const partitionLeaderEpoch = Math.max(0, view.latestEpoch + epochsOn)
    const part = followerBatch(batch, view, baseOffset, partitionLeaderEpoch)
    if (part.length > bytesLeft || parts.length >= most) break
    parts.push(part)
    bytesLeft -= part.length
    next = [...recordBatches(part)].reduce((_, { lastOffset }) => lastOffset, next) + 1n
  }
  return parts
}

function followerBatch(
  batch: Extract<Step, { kind: 'follower' }>['batches'][number],
  view: View,
  baseOffset: bigint,
  partitionLeaderEpoch: number,
): Buffer {
  const { by } = batch
  if (by === null) return encode(batch, view, { baseOffset, partitionLeaderEpoch })
  const id = PRODUCER_IDS[by.who] as string
  const { epoch, baseSequence } = nextOf(id, view)
  if (by.as === 'commit' || by.as === 'abort') {
    const commit = by.as === 'commit'
    return markerBytes({ id, epoch, commit, baseOffset, partitionLeaderEpoch, nowMs: view.nowMs })
  }
  const producer = { id, epoch, baseSequence, transactional: by.as === 'transactional' }
  return encode(batch, view, { baseOffset, partitionLeaderEpoch, producer })
}

/** Avoids 'a high watermark in a batch or gap'. Far: where the active segment's 31 bits end. */
function gapBefore(gap: number, isFar: boolean, view: View): bigint {
  if (!mayHaveGaps(view)) return 0n
  const far = isFar ? BigInt(view.active.baseOffset) + 2n ** 31n - view.end : 0n
  return BigInt(gap) + (far > 0n ? far : 0n)
}

/** An epoch that begins at the end, and that Kafka has dropped, would begin behind the gap there. */
function mayHaveGaps({ highWatermark, hasEpochAtEnd }: View): boolean {
  return highWatermark === 'auto' && !hasEpochAtEnd
}

/** How many batches one append may bring before an index may lack room for an entry of each. */
function batchesWithRoom({ config: { segmentIndexBytes }, active }: View): number {
  const offsetCapacity = Math.floor(segmentIndexBytes / 8)
  const timeCapacity = Math.floor(segmentIndexBytes / 12) - 1
  const room = Math.min(offsetCapacity - active.offsetIndexEntries, timeCapacity - active.timeIndexEntries)
  // Without room the append begins a new segment, whose first batch needs no entry.
  return room > 0 ? room : Math.min(offsetCapacity, timeCapacity) + 1
}

/** Of batches out of order, the first alone may be taken, behind a gap: `gapBefore` says where there may be none. */
function withFault(parts: readonly Buffer[], fault: string, view: View): Buffer[] {
  const last = parts.at(-1) as Buffer
  if (fault === 'order' && mayHaveGaps(view)) return [...parts].reverse()
  if (fault !== 'checksum') return [...parts]
  const broken = Buffer.from(last)
  broken[broken.length - 1] = (broken.at(-1) as number) ^ 1
  return [...parts.slice(0, -1), broken]
}

function cut(op: 'highWatermark' | 'deleteBefore' | 'truncate', offset: bigint, view: View): Operation {
  if (op === 'truncate') return { op, offset: `${whereToTruncate(offset, view)}` }
  if (op === 'deleteBefore') return deleteBefore(offset, view)
  // The host's part where the log moves its mark itself: a look instead.
  if (view.highWatermark === 'auto') return { op: 'read', offset: `${clamped(offset, view)}` }
  const least = BigInt(view.state.highWatermark)
  // Avoids 'a high watermark that falls' and 'a high watermark in a batch or gap'.
  const batchStart = view.batchAt(offset)?.baseOffset ?? view.end
  return { op, offset: `${batchStart < least ? least : batchStart}` }
}

/**
 * Avoids 'records deleted behind what is left': the start may not come to lie
 * behind the last record; and 'a high watermark in a batch or gap'.
 */
function whereToTruncate(offset: bigint, view: View): bigint {
  const target = offset < 0n ? 0n : offset
  const recordsEnd = view.recordsEndBelow(target)
  const start = target < view.start ? target : view.start
  const mustEndWithRecord = recordsEnd < start || view.highWatermark === 'manual'
  return target < view.end && mustEndWithRecord ? recordsEnd : target
}

function deleteBefore(offset: bigint, view: View): Operation {
  // Avoids 'records deleted from a compacted log'.
  if (!view.config.cleanupPolicy.includes('delete')) return { op: 'flush', force: false }
  // Avoids 'records deleted behind what is left'.
  const recordsEnd = view.recordsEndBelow(view.end)
  const isCut = recordsEnd < view.end && (offset < 0n || offset > recordsEnd)
  return { op: 'deleteBefore', offset: `${isCut ? recordsEnd : offset < -1n ? -1n : offset}` }
}

/** Longer than any interval between checkpoints. */
const CHECKPOINTED_MS = 120_000

/** Avoids 'a log start that is not checkpointed': after that time it is. */
function crash({ damage, perMille }: Extract<Step, { kind: 'crash' }>, view: View): Operation {
  const { baseOffset, sizeInBytes } = view.active
  const ms = `${CHECKPOINTED_MS}`
  // Where each compresses itself, a position is another place for each.
  const isSpared = damage === 'none' || view.comparison === 'decoded' || activeIsDue(view)
  if (isSpared || (sizeInBytes === 0 && damage !== 'zeros'))
    return { op: 'crash', ms, baseOffset, damage: null }
  const share = Math.floor((sizeInBytes * perMille) / 1000)
  // Avoids 'offsets that step back': no whole batch is copied.
  const partOfBatch = Math.min(share, (view.activeBatches()[0]?.sizeInBytes ?? 1) - 1)
  const bytes = damage === 'flip' ? coveredByte(perMille, view) : damage === 'copy' ? partOfBatch : share
  return { op: 'crash', ms, baseOffset, damage: { kind: damage, sizeInBytes, bytes } }
}

/** Whether a retention check before the crash takes the active segment too: then there is nothing to damage. */
function activeIsDue({ config, active, nowMs }: View): boolean {
  const { cleanupPolicy, retentionMs, retentionBytes } = config
  const ageMs = nowMs + CHECKPOINTED_MS - Number(active.largestTimestamp)
  return (
    cleanupPolicy.includes('delete') && (retentionBytes === 0 || (retentionMs >= 0 && ageMs > retentionMs))
  )
}

/** A byte of the active segment that a checksum covers: what none covers, both take as it is. */
function coveredByte(perMille: number, view: View): number {
  const { position, sizeInBytes } = pick(view.activeBatches(), perMille) as {
    position: number
    sizeInBytes: number
  }
  return position + ATTRIBUTES_AT + ((perMille * 7) % (sizeInBytes - ATTRIBUTES_AT))
}

/** How much a size takes in depends on the codec, where each compresses itself: one batch, or all. */
function fetch(step: Extract<Step, { kind: 'fetch' }>, view: View): Operation {
  const { minOneBatch } = step
  const maxBytes = view.comparison === 'exact' ? step.maxBytes : step.maxBytes % 2 === 0 ? 0 : 1 << 20
  return { op: 'fetch', offset: `${offsetAt(step.place, view)}`, maxBytes, minOneBatch, ...isolationOf(step) }
}

function offsetAt({ of, perMille, beside }: Place, view: View): bigint {
  return anchor(of, perMille, view) + BigInt(beside)
}

function anchor(of: Place['of'], perMille: number, view: View): bigint {
  const { segments, epochs } = view.state
  const [start, end] = [view.start, view.end]
  const inLog = start + ((end - start) * BigInt(perMille)) / 1000n
  switch (of) {
    case 'segments':
      return BigInt(pick(segments, perMille)?.baseOffset ?? start)
    case 'epochs':
      return BigInt(pick(epochs, perMille)?.startOffset ?? start)
    case 'batches':
      return view.batchAt(inLog)?.baseOffset ?? end
    case 'log':
      return inLog
  }
}

function pick<T>(items: readonly T[], perMille: number): T | undefined {
  return items[Math.min(items.length - 1, Math.floor((items.length * perMille) / 1000))]
}

function clamped(offset: bigint, view: View): bigint {
  const [start, end] = [view.start, view.end]
  return offset < start ? start : offset > end ? end : offset
}

function timeNear({ of, perMille, beside }: Extract<Step, { kind: 'time' }>, view: View): bigint {
  const largest = BigInt(pick(view.state.segments, perMille)?.largestTimestamp ?? -1)
  const near = of === 'segments' && largest >= 0n ? largest + BigInt(Math.sign(beside)) : undefined
  const time = near ?? BigInt(view.nowMs + beside)
  return time < 0n ? 0n : time
}

/** Not one that begins at the log's end, or between that and the one before: Kafka may not know it (`epoch-at-end.ts`). */
function epochNear({ perMille, beside }: Extract<Step, { kind: 'epochEnd' }>, view: View): number {
  const begun = view.state.epochs.filter(({ startOffset }) => BigInt(startOffset) < view.end)
  const epoch = Math.max(-1, (pick(begun, perMille)?.epoch ?? 0) + beside)
  const latest = begun.at(-1)?.epoch ?? -1
  return epoch > latest && epoch <= view.latestEpoch ? latest : epoch
}

function encode(
  { records, codec }: SomeBatch,
  view: View,
  header: Pick<EncodeBatchOptions, 'baseOffset' | 'partitionLeaderEpoch' | 'producer'> = {},
): Buffer {
  const inputs = records.map((record, n) => recordInput(specOf(record, n, view), view.nowMs))
  return encodeBatch(inputs, { ...header, compression: codec })
}

function specOf({ key, valueBytes, headers, time }: SomeRecord, index: number, view: View): RecordSpec {
  const base64 = (text: string) => toBase64(Buffer.from(text))
  return {
    timestamp: timestampOf(time, view),
    key: key === null ? null : base64(key),
    value: valueBytes === null ? null : toBase64(Buffer.alloc(valueBytes, `${index}${key ?? ''}v`)),
    headers: headers.map((value, n) => ({ key: `h${n}`, value: value === null ? null : base64(value) })),
  }
}

function timestampOf(time: Time, { nowMs, config }: View): string | null {
  if (time === 'clock') return null
  if (time === 'none') return '-1'
  if (typeof time === 'number') return `${nowMs + time}`
  const { limit, beyondMs } = time
  const most = limit === 'after' ? config.messageTimestampAfterMaxMs : config.messageTimestampBeforeMaxMs
  if (!Number.isFinite(most)) return null
  return `${nowMs + (limit === 'after' ? 1 : -1) * (most + beyondMs)}`
}
