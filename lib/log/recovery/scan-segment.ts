/**
 * Reads a segment from its first byte on: where its sound batches end and why,
 * and what its indexes and the leader epochs are by them. Changes nothing.
 * Follows Kafka's LogSegment.recover.
 */

import type { BatchColumns, Lane, LogFile, ScanStop } from '../../backend/contract.js'
import { INT32_MAX } from '../../base/int64.js'
import type { LogConfig } from '../../config/settings.js'
import {
  type BatchFacts,
  emptyIndexState,
  type IndexState,
  OFFSET_ENTRY_BYTES,
  planIndexEntries,
  TIME_ENTRY_BYTES,
  timeEntry,
} from '../../segment/index-plan.js'
import type { LeaderEpochs } from '../leader-epochs.js'

export const BATCHES_PER_SCAN = 1024

export interface ScanRequest {
  readonly lane: Lane
  /** Open; its base offset is the segment's. */
  readonly log: LogFile
  readonly config: LogConfig
  /** Those noted so far; the batches' own are added. */
  readonly epochs: LeaderEpochs
  /** Called with each chunk of sound batches. */
  readonly each?: (batches: BatchColumns, position: number) => Promise<void> | void
}

export interface SegmentScan {
  /** Sound up to here. */
  readonly validBytes: number
  /** `end`: all of it is. */
  readonly stop: ScanStop
  /** Behind the last sound batch; the base offset where there is none. */
  readonly nextOffset: bigint
  /** In file form, as Kafka would make them. */
  readonly offsetEntries: Uint8Array
  readonly timeEntries: Uint8Array
  readonly epochs: LeaderEpochs
  /** Positions at which a new segment must begin for all offsets to lie within 31 bits of their base. */
  readonly splitAt: readonly number[]
}

/** An I/O error rejects: it is never taken for damage. */
export async function scanSegment(request: ScanRequest): Promise<SegmentScan> {
  const { lane, log, each } = request
  const reading = new Reading(request)
  for (;;) {
    const scan = await lane.scan(log, {
      fromPosition: reading.position,
      endPosition: Number.MAX_SAFE_INTEGER,
      maxBatches: BATCHES_PER_SCAN,
      checkCrc: true,
    })
    const isInOrder = reading.follows(scan.batches)
    if (!isInOrder) return reading.result('offset-order')
    reading.take(scan.batches, scan.endPosition)
    if (each !== undefined && scan.batches.count > 0) await each(scan.batches, scan.endPosition)
    if (scan.stop !== 'limit') return reading.result(scan.stop)
  }
}

class Reading {
  position = 0
  readonly #baseOffset: bigint
  readonly #intervalBytes: number
  readonly #offsetLimit: number
  readonly #timeLimit: number
  #nextOffset: bigint
  #epochs: LeaderEpochs
  #index: IndexState
  readonly #offsetEntries: Uint8Array[] = []
  readonly #timeEntries: Uint8Array[] = []
  #offsetCount = 0
  #timeCount = 0
  #splitBase: bigint
  readonly #splitAt: number[] = []

  constructor({ log, config, epochs }: ScanRequest) {
    this.#baseOffset = log.baseOffset
    this.#nextOffset = log.baseOffset
    this.#splitBase = log.baseOffset
    this.#epochs = epochs
    this.#index = emptyIndexState(log.baseOffset)
    this.#intervalBytes = config.indexIntervalBytes
    this.#offsetLimit = Math.floor(config.segmentIndexBytes / OFFSET_ENTRY_BYTES)
    this.#timeLimit = Math.floor(config.segmentIndexBytes / TIME_ENTRY_BYTES) - 1
  }

  /** A scan knows nothing of the one before it. */
  follows(batches: BatchColumns): boolean {
    return batches.count === 0 || (batches.lastOffsets[0] as bigint) >= this.#nextOffset
  }

  take(batches: BatchColumns, endPosition: number): void {
    const facts: BatchFacts[] = []
    for (let row = 0; row < batches.count; row++) facts.push(this.#takeBatch(batches, row))
    if (this.#splitAt.length === 0) this.#plan(facts)
    this.position = endPosition
  }

  result(stop: ScanStop): SegmentScan {
    const { maxTimestamp, lastIndexedTimestamp } = this.#index
    const last =
      this.#splitAt.length === 0 && maxTimestamp.timestamp > lastIndexedTimestamp
        ? [timeEntry(maxTimestamp, this.#baseOffset)]
        : []
    return {
      validBytes: this.position,
      stop,
      nextOffset: this.#nextOffset,
      offsetEntries: Buffer.concat(this.#offsetEntries),
      timeEntries: Buffer.concat([...this.#timeEntries, ...last]),
      epochs: this.#epochs,
      splitAt: this.#splitAt,
    }
  }

  #takeBatch(batches: BatchColumns, row: number): BatchFacts {
    const lastOffset = batches.lastOffsets[row] as bigint
    const baseOffset = batches.baseOffsets[row] as bigint
    if (lastOffset - this.#splitBase > BigInt(INT32_MAX)) {
      this.#splitAt.push(batches.positions[row] as number)
      this.#splitBase = baseOffset
    }
    const epoch = batches.leaderEpochs[row] as number
    if (epoch > (this.#epochs.latest?.epoch ?? -1)) this.#epochs = this.#epochs.assigned(epoch, baseOffset)
    this.#nextOffset = lastOffset + 1n
    return {
      sizeInBytes: batches.sizes[row] as number,
      lastOffset,
      maxTimestamp: batches.maxTimestamps[row] as bigint,
    }
  }

  #plan(facts: readonly BatchFacts[]): void {
    const { state, offsetEntries, timeEntries } = planIndexEntries(this.#index, facts, {
      baseOffset: this.#baseOffset,
      indexIntervalBytes: this.#intervalBytes,
      position: this.position,
      offsetRoom: this.#offsetLimit - this.#offsetCount,
      timeRoom: this.#timeLimit - this.#timeCount,
    })
    this.#index = state
    if (offsetEntries !== undefined) this.#offsetEntries.push(offsetEntries)
    if (timeEntries !== undefined) this.#timeEntries.push(timeEntries)
    this.#offsetCount += (offsetEntries?.length ?? 0) / OFFSET_ENTRY_BYTES
    this.#timeCount += (timeEntries?.length ?? 0) / TIME_ENTRY_BYTES
  }
}
