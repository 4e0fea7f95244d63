/**
 * One log at work, whoever keeps it: carries out operations and tells what
 * came of them in one form, so that contenders can be compared.
 */
import type { Operation, Settings } from './operation.js'

export interface SegmentState {
  readonly baseOffset: string
  readonly sizeInBytes: number
  readonly offsetIndexEntries: number
  readonly timeIndexEntries: number
  /** -1 where no record has a time. */
  readonly largestTimestamp: string
}

/** What is remembered of a producer. */
export interface ProducerInLog {
  readonly producerId: string
  readonly producerEpoch: number
  readonly coordinatorEpoch: number
  readonly lastTimestamp: string
  readonly currentTxnFirstOffset: string | null
  /** Oldest first. */
  readonly batches: readonly {
    readonly firstSequence: number
    readonly lastSequence: number
    readonly firstOffset: string
    readonly lastOffset: string
    readonly timestamp: string
  }[]
}

/** What can be seen of a log between operations. */
export interface LogState {
  readonly logStartOffset: string
  readonly highWatermark: string
  readonly lastStableOffset: string
  readonly recoveryPoint: string
  readonly logEndOffset: string
  readonly segments: readonly SegmentState[]
  readonly epochs: readonly { readonly epoch: number; readonly startOffset: string }[]
  /** By id. */
  readonly producers: readonly ProducerInLog[]
}

/** Our error code, and for Kafka the exception that it stands for. */
export interface Refusal {
  readonly code: string
  readonly as: string
  readonly message: string
}

export interface Outcome {
  /** Undefined where it was refused. */
  readonly result?: unknown
  readonly refused?: Refusal
  readonly state: LogState
  /** Why segments were rolled, in order, where the contender tells. */
  readonly rolls?: readonly string[]
  /** Of `retain`: by which rule each segment went, where the contender tells. */
  readonly deletions?: readonly string[]
}

export interface Opening {
  readonly settings: Settings
  readonly highWatermark: 'auto' | 'manual'
  readonly nowMs: number
}

export interface Contender {
  readonly name: string
  /** The log directory: checkpoints lie here, the log in `log-0` below. */
  readonly directory: string
  /** Makes the log; `topicId` is given to it, where it does not draw one itself. */
  open(opening: Opening, topicId: string | null): Promise<LogState>
  apply(operation: Operation): Promise<Outcome>
  /** A clean close; resolves when nothing more will change in the directory. */
  close(): Promise<void>
  /** Lets go of what is open, whatever state it is in. */
  abandon(): Promise<void>
}

export const LOG_NAME = 'log-0'
