/**
 * What a cleaner's thread is told and what it answers: plain values that cross
 * between threads. The thread only reads segments and writes `.cleaned` files;
 * that a log has changed meanwhile, and what becomes of what was written, is
 * the log's side to decide.
 */

import type { BackendName, ScanStop } from '../backend/contract.js'
import type { LogConfig } from '../config/settings.js'
import type { AbortedTransaction } from '../segment/transaction-index.js'

/** A segment to be read. */
export interface SegmentToClean {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  /** When its `.log` was last written to, ms since the epoch. */
  readonly modifiedMs: number
  /** Lengths of its indexes, for grouping. */
  readonly indexBytes: number
  readonly timeIndexBytes: number
  /** Its entries of the transaction index. */
  readonly aborted: readonly AbortedTransaction[]
}

/** The last that a log knows of a producer, so that its last batch stays. Kafka's LastRecord. */
export interface LastRecord {
  readonly producerId: bigint
  readonly producerEpoch: number
  /** Null where only a marker is known. */
  readonly lastDataOffset: bigint | null
}

export interface CleanJob {
  /** `topic-partition`. */
  readonly name: string
  readonly directory: string
  readonly backend: BackendName
  /** Every segment below `firstUncleanableOffset`, by rising base offset; never empty. */
  readonly segments: readonly SegmentToClean[]
  /**
   * Entries of the transaction indexes of the segments behind these: a
   * transaction that began below `firstUncleanableOffset` can have been aborted
   * there. Those of transactions that began later do no harm.
   */
  readonly abortedBehind: readonly AbortedTransaction[]
  /** The dirty section: from here on keys are put into the map ... */
  readonly firstDirtyOffset: bigint
  /** ... and up to here (a segment's base offset). */
  readonly firstUncleanableOffset: bigint
  /** When the cleaning began. The batch that ends there stays, if only as an empty one. */
  readonly highWatermark: bigint
  readonly producers: readonly LastRecord[]
  readonly config: Pick<
    LogConfig,
    'segmentBytes' | 'segmentIndexBytes' | 'indexIntervalBytes' | 'deleteRetentionMs' | 'maxMessageBytes'
  >
  readonly settings: CleanSettings
  /** When the cleaning began, ms since the epoch. */
  readonly nowMs: number
}

export interface CleanSettings {
  /** What the map of keys may take, bytes. */
  readonly mapBytes: number
  /** How full it may get, 0 to 1. */
  readonly loadFactor: number
  readonly hash: 'md5' | 'xxh3'
  /** Bytes read at once, and gathered to be written at once. */
  readonly ioBufferBytes: number
  /** No batch that takes more is read or made. */
  readonly maxBatchBytes: number
  readonly maxDecompressedBytes: number
}

/** One segment that was written, on disk under its `.cleaned` names on return. */
export interface CleanedSegment {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  readonly modifiedMs: number
  readonly aborted: readonly AbortedTransaction[]
}

/** Segments that were read into the segments that were written. */
export interface CleanedGroup {
  /** Base offsets. */
  readonly inputs: readonly bigint[]
  /** By rising base offset; never empty. */
  readonly outputs: readonly CleanedSegment[]
}

export interface CleanCounts {
  /** Of the dirty section, while the map was filled. */
  readonly mapBytesRead: number
  readonly mapRecordsRead: number
  readonly bytesRead: number
  readonly recordsRead: number
  /** Of those that were read, the ones without a key, which a compacted log does not keep. */
  readonly recordsWithoutKey: number
  readonly bytesWritten: number
  readonly recordsWritten: number
  /** Keys in the map, of those that it has room for. */
  readonly keys: number
  readonly slots: number
  readonly mapMs: number
  readonly totalMs: number
}

export interface CleanResult {
  /** The first offset that was not cleaned: the dirty section's next beginning. Kafka's end offset. */
  readonly endOffset: bigint
  readonly counts: CleanCounts
}

/** What a cleaning tells while it runs. */
export interface CleanProgress {
  readonly phase: 'map' | 'copy'
  readonly doneBytes: number
  readonly totalBytes: number
}

/** What a cleaning is run with. */
export interface CleanSteps {
  /** Called before each chunk is read and after each is written; throws where the cleaning is to end. May wait (the I/O throttle). */
  checkpoint(bytes: number): void
  progress(progress: CleanProgress): void
  /**
   * The outputs are on disk: the log puts them in place of the inputs. The next
   * group begins when it resolves. From the call on the files are the log's:
   * where it rejects, none of them is removed here.
   */
  swap(group: CleanedGroup): Promise<void>
}

/** Why a batch cannot be read: for the error that names its place. */
export type BatchFault = ScanStop | 'bad-records'
