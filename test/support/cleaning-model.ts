/**
 * What a cleaning has to leave of a log, said as plainly as can be: whole logs
 * as lists of batches, keys in a Map, transactions looked up by their bounds.
 */
import type { LastRecord } from '../../lib/cleaner/clean-job.js'
import type { Batch } from '../../lib/format/batch.js'
import { parseControlKey } from '../../lib/format/control-record.js'
import type { LogRecord } from '../../lib/format/record.js'

export interface ModelSegment {
  readonly baseOffset: bigint
  readonly modifiedMs: number
  readonly batches: readonly Batch[]
}

export interface ModelOptions {
  readonly firstDirtyOffset: bigint
  readonly firstUncleanableOffset: bigint
  readonly maxKeys: number
  readonly nowMs: bigint
  readonly deleteRetentionMs: bigint
  readonly producers: readonly LastRecord[]
}

/** A batch as it is to be afterwards. */
export interface ModelBatch {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly records: readonly string[]
  readonly deleteHorizonMs: bigint | null
}

export interface ModelResult {
  readonly endOffset: bigint
  readonly batches: readonly ModelBatch[]
}

/** `log`: all segments, also those that are not cleaned, since transactions may end there. */
export function modelOfCleaning(log: readonly ModelSegment[], options: ModelOptions): ModelResult {
  const { firstUncleanableOffset } = options
  const cleanable = log.filter(({ baseOffset }) => baseOffset < firstUncleanableOffset)
  const transactions = new Transactions(log.flatMap(({ batches }) => batches))
  const { keys, latest } = fill(cleanable, transactions, options)
  const clean = cleanable.findLast(({ baseOffset }) => baseOffset < options.firstDirtyOffset)
  const legacyHorizon = clean === undefined ? 0n : BigInt(clean.modifiedMs) - options.deleteRetentionMs
  const batches = cleanable
    .filter(({ baseOffset }) => baseOffset <= latest)
    .flatMap((segment) =>
      segment.batches.flatMap((batch) => {
        const keepsLegacy = BigInt(segment.modifiedMs) > legacyHorizon
        return afterwards(batch, { keys, latest, transactions, keepsLegacy, options })
      }),
    )
  return { endOffset: latest + 1n, batches }
}

/** A record with all that must not change. */
export function textOf({ offset, timestamp, key, value }: LogRecord): string {
  return `${offset} @${timestamp} ${key?.toString('hex')}=${value?.toString('hex') ?? null}`
}

class Transactions {
  readonly #batches: readonly Batch[]

  constructor(batches: readonly Batch[]) {
    this.#batches = batches
  }

  isAborted(batch: Batch): boolean {
    return batch.isTransactional && !batch.isControl && this.#endOf(batch) === 'ABORT'
  }

  /** No data batch of its transaction is left. */
  isMarkerOfNothing(marker: Batch): boolean {
    if (marker.count === 0) return true
    const before = this.#batches.filter(
      ({ producerId, lastOffset }) => producerId === marker.producerId && lastOffset < marker.lastOffset,
    )
    const previous = before.findLastIndex(({ isControl }) => isControl)
    return before.slice(previous + 1).filter(({ isTransactional }) => isTransactional).length === 0
  }

  #endOf({ producerId, lastOffset }: Batch): string | undefined {
    const end = this.#batches.find(
      (batch) => batch.isControl && batch.producerId === producerId && batch.lastOffset > lastOffset,
    )
    return end === undefined ? undefined : typeOf(end)
  }
}

export function typeOf(marker: Batch): string | undefined {
  const [record] = marker.records()
  return record && parseControlKey(record.key).type
}

function fill(
  segments: readonly ModelSegment[],
  transactions: Transactions,
  { firstDirtyOffset: from, firstUncleanableOffset, maxKeys }: ModelOptions,
): { keys: Map<string, bigint>; latest: bigint } {
  const keys = new Map<string, bigint>()
  let latest = from - 1n
  for (const batch of segments
    .flatMap(({ batches }) => batches)
    .filter(({ lastOffset }) => lastOffset >= from)) {
    if (!batch.isControl && !transactions.isAborted(batch)) {
      for (const { key, offset } of batch.records()) {
        if (key === null || offset < from) continue
        if (keys.size >= maxKeys) return { keys, latest }
        keys.set(key.toString('hex'), offset)
        latest = offset
      }
    }
    latest = batch.lastOffset
  }
  return { keys, latest: firstUncleanableOffset - 1n }
}

interface Circumstances {
  readonly keys: ReadonlyMap<string, bigint>
  readonly latest: bigint
  readonly transactions: Transactions
  readonly keepsLegacy: boolean
  readonly options: ModelOptions
}

function afterwards(batch: Batch, about: Circumstances): ModelBatch[] {
  const { options } = about
  const all = [...batch.records()]
  const kept = batch.isControl ? keptOfMarker(batch, all, about) : keptOfData(batch, all, about)
  const { baseOffset, lastOffset, deleteHorizonMs } = batch
  const isNeeded =
    lastOffset + 1n === options.firstUncleanableOffset || isLastOfProducer(batch, options.producers)
  if (kept.length === 0) {
    if (!isNeeded) return []
    if (batch.magic === 2) return [{ baseOffset, lastOffset, records: [], deleteHorizonMs: null }]
    const hasTombstone = all.some(({ value }) => value === null)
    const horizon = hasTombstone ? options.nowMs + options.deleteRetentionMs : null
    const first = (all[0] as LogRecord).offset
    return [{ baseOffset: first, lastOffset, records: all.map(textOf), deleteHorizonMs: horizon }]
  }
  const needsHorizon = batch.isControl
    ? about.transactions.isMarkerOfNothing(batch)
    : kept.some(({ value }) => value === null)
  const horizon = needsHorizon ? options.nowMs + options.deleteRetentionMs : null
  return [
    {
      baseOffset: batch.magic === 2 ? baseOffset : (kept[0] as LogRecord).offset,
      lastOffset: batch.magic === 2 ? lastOffset : (kept.at(-1) as LogRecord).offset,
      records: kept.map(textOf),
      deleteHorizonMs: deleteHorizonMs ?? horizon,
    },
  ]
}

function keptOfMarker(batch: Batch, all: readonly LogRecord[], { transactions, options }: Circumstances) {
  const hasExpired = batch.deleteHorizonMs !== null && batch.deleteHorizonMs <= options.nowMs
  return transactions.isMarkerOfNothing(batch) && hasExpired ? [] : all
}

function keptOfData(batch: Batch, all: readonly LogRecord[], about: Circumstances): readonly LogRecord[] {
  const { keys, latest, transactions, keepsLegacy, options } = about
  if (transactions.isAborted(batch)) return []
  const isYoung =
    batch.magic === 2 ? batch.deleteHorizonMs === null || options.nowMs < batch.deleteHorizonMs : keepsLegacy
  return all.filter(({ key, value, offset }) => {
    if (offset > latest) return true
    if (key === null || offset < (keys.get(key.toString('hex')) ?? -1n)) return false
    return value !== null || isYoung
  })
}

function isLastOfProducer(batch: Batch, producers: readonly LastRecord[]): boolean {
  const last = producers.find(({ producerId }) => producerId === batch.producerId)
  if (last === undefined || batch.producerId < 0n) return false
  if (last.lastDataOffset !== null) return batch.lastOffset === last.lastDataOffset
  return batch.isControl && batch.producerEpoch === last.producerEpoch
}
