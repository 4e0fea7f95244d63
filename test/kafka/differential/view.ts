/** What a step can know of the log when it is turned into an operation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogConfig } from '../../../lib/config/settings.js'
import type { Batch } from '../../../lib/format/batch.js'
import { recordBatches } from '../../../lib/format/batches.js'
import { fileName } from '../../../lib/segment/names.js'
import { logFilesButRenewed } from './compare-trees.js'
import { LOG_NAME, type LogState, type SegmentState } from './contender.js'
import type { Comparison, Settings } from './operation.js'
import { logConfigOf } from './split-settings.js'

export interface BatchPlace {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly sizeInBytes: number
}

export class View {
  readonly comparison: Comparison
  readonly config: LogConfig
  readonly highWatermark: 'auto' | 'manual'
  readonly nowMs: number
  readonly state: LogState
  readonly latestEpoch: number
  /** Of ours: Kafka may have dropped it. */
  readonly hasEpochAtEnd: boolean
  /** Names of the log's files. */
  readonly files: readonly string[]
  readonly #directory: string

  constructor(
    script: {
      readonly comparison: Comparison
      readonly settings: Settings
      readonly highWatermark: 'auto' | 'manual'
    },
    now: {
      readonly nowMs: number
      readonly state: LogState
      readonly latestEpoch: number
      readonly hasEpochAtEnd: boolean
      readonly directory: string
    },
  ) {
    this.comparison = script.comparison
    this.config = logConfigOf(script.settings)
    this.highWatermark = script.highWatermark
    this.nowMs = now.nowMs
    this.state = now.state
    this.latestEpoch = now.latestEpoch
    this.hasEpochAtEnd = now.hasEpochAtEnd
    this.#directory = now.directory
    this.files = logFilesButRenewed(now.directory)
  }

  get start(): bigint {
    return BigInt(this.state.logStartOffset)
  }

  get end(): bigint {
    return BigInt(this.state.logEndOffset)
  }

  get active(): SegmentState {
    return this.state.segments.at(-1) as SegmentState
  }

  /** The batch that holds `offset`, or the first behind it. */
  batchAt(offset: bigint): BatchPlace | undefined {
    return this.state.segments
      .flatMap((segment) => this.#batchesOf(segment))
      .find(({ lastOffset }) => lastOffset >= offset)
  }

  /** All batches, as they are in the files now: whoever needs them as they were before an operation asks before it. */
  batches(): Batch[] {
    return this.state.segments.flatMap((segment) => this.#batchesOf(segment))
  }

  /** The batches of the active segment, and where they lie. */
  activeBatches(): { readonly position: number; readonly sizeInBytes: number }[] {
    let position = 0
    return this.#batchesOf(this.active).map(({ sizeInBytes }) => {
      position += sizeInBytes
      return { position: position - sizeInBytes, sizeInBytes }
    })
  }

  /** Where the last record would end if the log were cut at `offset`: below it where that lies in a batch or a gap. */
  recordsEndBelow(offset: bigint): bigint {
    const segment = this.state.segments.findLast(({ baseOffset }) => BigInt(baseOffset) <= offset)
    if (segment === undefined) return offset
    const left = this.#batchesOf(segment).filter(({ lastOffset }) => lastOffset < offset)
    const last = left.at(-1)
    return last === undefined ? BigInt(segment.baseOffset) : last.lastOffset + 1n
  }

  #batchesOf({ baseOffset, sizeInBytes }: SegmentState): Batch[] {
    const path = join(this.#directory, LOG_NAME, fileName(BigInt(baseOffset), 'log'))
    return [...recordBatches(readFileSync(path).subarray(0, sizeInBytes))]
  }
}
