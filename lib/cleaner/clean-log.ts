/**
 * One cleaning of one compacted log, from its job to its result: fills the map
 * of keys, then copies what stays of each group of segments and has the log
 * take it over. Reads segments and writes `.cleaned` files; no other file of
 * the log is touched here.
 */

import type { Lane } from '../backend/contract.js'
import type { OffsetMap } from '../backend/record-kernel.js'
import { abortedWithin } from './aborted-within.js'
import type { CleanedSegment, CleanJob, CleanResult, CleanSteps, SegmentToClean } from './clean-job.js'
import {
  beginRun,
  type CleanRun,
  type CleanTools,
  endOffsetOf,
  PassProgress,
  readChunks,
} from './clean-run.js'
import { removeLeftovers } from './cleaned-files.js'
import { CleanedSegments } from './cleaned-segments.js'
import { BatchCopier } from './copy-batches.js'
import { fillMap, mapMemory } from './fill-map.js'
import { groupSegmentsBySize } from './group-segments.js'
import { TransactionFilter } from './transaction-filter.js'

export type { CleanTools } from './clean-run.js'

/**
 * Runs `job`. Resolves when the last group was swapped in.
 *
 * Takes the map's memory and at most a few buffers of `ioBufferBytes`, but for
 * a batch that is larger than one. Where it rejects (a step threw, a file
 * cannot be read, `ERR_CORRUPT` for a batch that is none) every `.cleaned` file
 * that no `swap` was told of is gone, and the groups swapped before stay.
 */
export async function cleanLog(job: CleanJob, tools: CleanTools, steps: CleanSteps): Promise<CleanResult> {
  const startMs = tools.clock.elapsedMs()
  await removeLeftovers(tools.files, job.directory)
  const lane = tools.backend.openLane('background')
  let map: OffsetMap | undefined
  try {
    map = tools.backend.records.openOffsetMap({ memoryBytes: mapMemory(job), hash: job.settings.hash })
    const run = beginRun(job, tools, steps, map)
    const latestOffset = await fillMap(run)
    run.counts.mapMs = tools.clock.elapsedMs() - startMs
    run.counts.keys = map.size
    run.counts.slots = map.slots
    await cleanGroups(run, lane, latestOffset)
    run.counts.totalMs = tools.clock.elapsedMs() - startMs
    return { endOffset: latestOffset + 1n, counts: run.counts }
  } finally {
    map?.close()
    await lane.close()
  }
}

async function cleanGroups(run: CleanRun, lane: Lane, latestOffset: bigint): Promise<void> {
  const { job, steps } = run
  const { segmentBytes, segmentIndexBytes } = job.config
  const { firstUncleanableOffset } = job
  const segments = job.segments.filter(({ baseOffset }) => baseOffset <= latestOffset)
  const pass = new CopyPass(run, lane, segments, latestOffset)
  for (const group of groupSegmentsBySize(segments, {
    segmentBytes,
    segmentIndexBytes,
    firstUncleanableOffset,
  })) {
    const outputs = await pass.clean(group)
    await steps.swap({ inputs: group.map(({ baseOffset }) => baseOffset), outputs })
  }
}

/** What all groups share: buffers, and the transactions that go from one group to the next. */
class CopyPass {
  readonly #run: CleanRun
  readonly #lane: Lane
  readonly #filter = new TransactionFilter()
  readonly #output: CleanedSegments
  readonly #copier: BatchCopier
  readonly #progress: PassProgress

  constructor(run: CleanRun, lane: Lane, segments: readonly SegmentToClean[], latestOffset: bigint) {
    this.#run = run
    this.#lane = lane
    const buffer = Buffer.allocUnsafeSlow(run.job.settings.ioBufferBytes)
    this.#output = new CleanedSegments(run, buffer, run.tools.maxSegmentBytes)
    this.#copier = new BatchCopier(run, this.#output, this.#filter, latestOffset)
    this.#progress = new PassProgress(run.steps, 'copy', segments)
  }

  /** Leaves nothing behind where it rejects. */
  async clean(group: readonly SegmentToClean[]): Promise<CleanedSegment[]> {
    try {
      this.#output.begin((group[0] as SegmentToClean).baseOffset)
      for (const segment of group) await this.#copy(segment)
      const { modifiedMs } = group.at(-1) as SegmentToClean
      return await this.#output.finish(this.#lane, this.#filter.takeKept(), modifiedMs)
    } catch (error) {
      // What failed first is what the caller is told; the next cleaning removes what this could not.
      await this.#output.discard().catch(() => undefined)
      throw error
    }
  }

  async #copy(segment: SegmentToClean): Promise<void> {
    const { job, chunks } = this.#run
    const { baseOffset } = segment
    // Over the whole segment, also where it is not cleaned any more: its transaction index is made anew.
    this.#filter.add(abortedWithin(job, baseOffset, endOffsetOf(this.#run, segment)))
    this.#copier.begin(segment)
    await readChunks(this.#run, segment, 0, () => {
      this.#copier.copyChunk()
      this.#progress.advance(chunks.sizeInBytes)
      return true
    })
  }
}
