/**
 * The output of one group: `.cleaned` segments, written through a buffer that
 * gathers batches. Almost always one; where the next batch would not fit it any
 * more (its offset is too far from the base, or the file would get too long)
 * another begins at that batch.
 *
 * Nothing is on disk for certain before `finish` resolves. Until then
 * `discard` takes back everything.
 */

import type { Lane } from '../backend/contract.js'
import { INT32_MAX } from '../base/int64.js'
import type { BatchFacts } from '../segment/index-plan.js'
import { Segment } from '../segment/segment.js'
import type { AbortedTransaction } from '../segment/transaction-index.js'
import { transactionEntry } from '../segment/transaction-index.js'
import type { CleanedSegment } from './clean-job.js'
import type { CleanRun } from './clean-run.js'
import { cleanedPath, removeCleaned } from './cleaned-files.js'

/** A batch that was written to the buffer. */
export interface WrittenBatch extends BatchFacts {
  readonly baseOffset: bigint
  readonly count: number
}

export class CleanedSegments {
  /** Where the next batch is written, from `position` on; see `room`. */
  buffer: Buffer
  position = 0
  readonly #run: CleanRun
  readonly #ownBuffer: Buffer
  readonly #maxSegmentBytes: number
  #segments: Segment[] = []
  /** Base offsets of all that was begun, even where that failed half way. */
  #begun: bigint[] = []
  #facts: BatchFacts[] = []
  #lastFittingOffset = 0n

  /** `maxSegmentBytes`: the longest file, 2^31 - 1 but for tests. */
  constructor(run: CleanRun, buffer: Buffer, maxSegmentBytes = INT32_MAX) {
    this.#run = run
    this.#ownBuffer = buffer
    this.buffer = buffer
    this.#maxSegmentBytes = maxSegmentBytes
  }

  /** Begins the output of a group, at the base offset of its first segment. */
  begin(baseOffset: bigint): void {
    this.#segments = []
    this.#begun = []
    this.#facts = []
    this.buffer = this.#ownBuffer
    this.position = 0
    this.#create(baseOffset)
  }

  /** Makes room for `size` bytes from `position` on. */
  room(size: number): void {
    if (size <= this.buffer.length - this.position) return
    this.#write()
    if (size > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(size)
  }

  /** The batch at `position` is part of the output. */
  add({ sizeInBytes, baseOffset, lastOffset, maxTimestamp, count }: WrittenBatch): void {
    if (!this.#fits(sizeInBytes, lastOffset)) this.#overflow(baseOffset, sizeInBytes)
    this.#facts.push({ sizeInBytes, lastOffset, maxTimestamp })
    this.position += sizeInBytes
    this.#run.counts.recordsWritten += count
    this.#run.counts.bytesWritten += sizeInBytes
  }

  /**
   * Everything is on disk when it resolves, closed, with the time of the last
   * input. Of `aborted` each entry goes to the segment that holds its marker.
   */
  async finish(
    lane: Lane,
    aborted: readonly AbortedTransaction[],
    modifiedMs: number,
  ): Promise<CleanedSegment[]> {
    this.#write()
    this.#active.seal()
    const cleaned: CleanedSegment[] = []
    for (const [at, segment] of this.#segments.entries()) {
      const next = this.#segments[at + 1]?.baseOffset
      const own = aborted.filter(
        ({ lastOffset }) =>
          (at === 0 || lastOffset >= segment.baseOffset) && (next === undefined || lastOffset < next),
      )
      cleaned.push(await this.#finishOne(lane, segment, own, modifiedMs))
    }
    await lane.flushPath(this.#run.job.directory)
    return cleaned
  }

  /** Closes and removes what was written of the group. */
  async discard(): Promise<void> {
    const { tools, job } = this.#run
    for (const segment of this.#segments) await segment.retire()
    for (const baseOffset of this.#begun) await removeCleaned(tools.files, job.directory, baseOffset)
  }

  get #active(): Segment {
    return this.#segments.at(-1) as Segment
  }

  #fits(size: number, lastOffset: bigint): boolean {
    if (lastOffset > this.#lastFittingOffset) return false
    return this.#active.sizeInBytes + this.position + size <= this.#maxSegmentBytes
  }

  /** The batch that is at `position` begins another segment. */
  #overflow(baseOffset: bigint, size: number): void {
    const at = this.position
    this.#write()
    this.#active.seal()
    this.#create(baseOffset)
    this.buffer.copyWithin(0, at, at + size)
  }

  #create(baseOffset: bigint): void {
    const { job, tools, openSegments } = this.#run
    const { indexIntervalBytes, segmentIndexBytes } = job.config
    const place = {
      backend: tools.backend,
      directory: job.directory,
      mode: 'write',
      transition: 'cleaned',
    } as const
    this.#begun.push(baseOffset)
    this.#segments.push(
      Segment.create(
        { place, openSegments, baseOffset, indexIntervalBytes, createdMs: job.nowMs, rollJitterMs: 0 },
        { capacityBytes: segmentIndexBytes, preallocateBytes: 0 },
      ),
    )
    this.#lastFittingOffset = baseOffset + BigInt(INT32_MAX)
  }

  #write(): void {
    const length = this.position
    if (length === 0) return
    const { job, steps } = this.#run
    this.#active.append({ bytes: this.buffer, length, facts: this.#facts, seal: false }, job.nowMs)
    this.#facts = []
    this.position = 0
    steps.checkpoint(length)
  }

  async #finishOne(
    lane: Lane,
    segment: Segment,
    aborted: readonly AbortedTransaction[],
    modifiedMs: number,
  ): Promise<CleanedSegment> {
    const { files } = this.#run.tools
    const { directory } = this.#run.job
    const { baseOffset, sizeInBytes } = segment
    await segment.flush(lane)
    await segment.retire()
    await this.#writeTransactionIndex(lane, baseOffset, aborted)
    const path = cleanedPath(directory, baseOffset, 'log')
    await files.setModified(path, modifiedMs)
    await lane.flushPath(path)
    return { baseOffset, sizeInBytes, modifiedMs, aborted }
  }

  async #writeTransactionIndex(
    lane: Lane,
    baseOffset: bigint,
    aborted: readonly AbortedTransaction[],
  ): Promise<void> {
    if (aborted.length === 0) return
    const path = cleanedPath(this.#run.job.directory, baseOffset, 'txnindex')
    await this.#run.tools.files.write(path, Buffer.concat(aborted.map(transactionEntry)))
    await lane.flushPath(path)
  }
}
