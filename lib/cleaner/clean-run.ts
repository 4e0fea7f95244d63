/**
 * What one cleaning works with: its job, the buffers that every step uses
 * again, and the counts. Made once for a cleaning and shared by its two passes.
 */

import type { Backend, Files } from '../backend/contract.js'
import type { OffsetMap } from '../backend/record-kernel.js'
import type { Clock } from '../base/clock.js'
import type { CodecName } from '../format/compression.js'
import { OpenSegments } from '../segment/open-segments.js'
import type { SegmentPlace } from '../segment/segment-files.js'
import { segmentPath } from '../segment/segment-files.js'
import { BatchChunks } from './batch-chunks.js'
import { BatchRecords } from './batch-records.js'
import { noCounts, type RunningCounts } from './clean-counts.js'
import type { CleanJob, CleanProgress, CleanSteps, SegmentToClean } from './clean-job.js'
import { RecordRows } from './record-rows.js'

/** What a cleaning is handed by whoever runs it. */
export interface CleanTools {
  readonly backend: Backend
  readonly files: Files
  readonly clock: Pick<Clock, 'elapsedMs'>
  /** Where a segment that is written ends at the latest; default 2^31 - 1. */
  readonly maxSegmentBytes?: number
  /** Resolves when `loadedCodec(name)` answers in this thread. */
  loadCodec(name: CodecName): Promise<unknown>
}

export interface CleanRun {
  readonly job: CleanJob
  readonly tools: CleanTools
  readonly steps: CleanSteps
  readonly map: OffsetMap
  readonly chunks: BatchChunks
  readonly records: BatchRecords
  readonly openSegments: OpenSegments
  readonly counts: RunningCounts
}

/** Inputs and outputs that are open at a time are few: one each, and those of a group that overflowed. */
const OPEN_SEGMENTS = 8

export function beginRun(job: CleanJob, tools: CleanTools, steps: CleanSteps, map: OffsetMap): CleanRun {
  const { backend } = tools
  const { ioBufferBytes, maxBatchBytes, maxDecompressedBytes } = job.settings
  const crc32c = (bytes: Uint8Array, start: number, end: number) => backend.crc32c(bytes, start, end)
  const chunks = new BatchChunks({ ioBufferBytes, maxBatchBytes, crc32c })
  const records = new BatchRecords(chunks, new RecordRows(backend.records), maxDecompressedBytes)
  const openSegments = new OpenSegments(OPEN_SEGMENTS)
  return { job, tools, steps, map, chunks, records, openSegments, counts: noCounts() }
}

/** A segment's place as an input. */
export function inputPlace({ job, tools }: CleanRun): SegmentPlace {
  return { backend: tools.backend, directory: job.directory, mode: 'read' }
}

/**
 * Calls `onChunk` for each chunk of a segment from `fromPosition` on, codecs
 * loaded, until one call is false; false then. Its `.log` is open meanwhile.
 */
export async function readChunks(
  run: CleanRun,
  segment: SegmentToClean,
  fromPosition: number,
  onChunk: () => boolean,
): Promise<boolean> {
  const { chunks, records, tools, steps } = run
  const { baseOffset, sizeInBytes: endPosition } = segment
  const log = tools.backend.openLogFile(segmentPath(inputPlace(run), baseOffset, 'log'), {
    mode: 'read',
    baseOffset,
  })
  try {
    chunks.begin({ log, baseOffset, fromPosition, endPosition, endOffset: endOffsetOf(run, segment) })
    for (;;) {
      steps.checkpoint(chunks.pendingBytes)
      if (!chunks.next()) return true
      for (const codec of records.missingCodecs()) await tools.loadCodec(codec)
      if (!onChunk()) return false
    }
  } finally {
    records.rows.restore()
    await log.close()
  }
}

/** All offsets of a segment are below. */
export function endOffsetOf({ job }: CleanRun, { baseOffset }: SegmentToClean): bigint {
  const next = job.segments.find((other) => other.baseOffset > baseOffset)
  return next?.baseOffset ?? job.firstUncleanableOffset
}

/** Tells how far a pass over `totalBytes` has come. */
export class PassProgress {
  readonly #steps: CleanSteps
  readonly #phase: CleanProgress['phase']
  readonly #totalBytes: number
  #doneBytes = 0

  constructor(steps: CleanSteps, phase: CleanProgress['phase'], segments: readonly SegmentToClean[]) {
    this.#steps = steps
    this.#phase = phase
    this.#totalBytes = segments.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  }

  advance(bytes: number): void {
    this.#doneBytes += bytes
    this.#steps.progress({ phase: this.#phase, doneBytes: this.#doneBytes, totalBytes: this.#totalBytes })
  }
}
