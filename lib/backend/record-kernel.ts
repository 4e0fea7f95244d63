/**
 * The part of the boundary that a cleaning needs: records as columns, and the
 * map from keys to their last offsets. As `contract.ts`, of which it is a
 * part: facts only; what is kept is decided by whoever asks. All of it is
 * synchronous, for threads of our own, and not to be shared between threads.
 */

export interface RecordKernel {
  /** Memory for the facts of up to `capacity` records, 1 to 2^24. It is freed when nobody holds it any more. */
  columns(capacity: number): RecordColumns

  /**
   * Takes the records of one magic 2 batch apart (sync; for threads of the
   * cleaner): the facts of record `i` are row `row + i` of `columns`. Gives -1
   * where `bytes[start, end)` is `count` sound records and nothing else; else
   * the position of what is no record (`end` where there are too few), and no
   * row from `row` on counts. RangeError where the rows do not fit `columns`.
   */
  parse(records: RecordRegion, columns: RecordColumns, row: number): number

  /**
   * Writes the records of rows `[row, row + count)` of `columns` for which
   * `keep[row]` is not 0 to `out` from `outPosition` on, as Kafka writes them:
   * attributes 0, the timestamp delta moved as `timestamps` says, all other
   * fields as they are. `bytes` is what the rows were parsed from. Gives the
   * position behind the last one, or -1 where `out` is too short (it may have
   * been written to). Sets `columns.largestTimestampDelta[0]` to the largest
   * delta of those that were kept, as it was before.
   */
  copy(
    bytes: Uint8Array,
    columns: RecordColumns,
    rows: RowRange,
    timestamps: TimestampMove,
    out: Uint8Array,
    outPosition: number,
  ): number

  /** An empty map; its memory is taken here. RangeError for less than one slot. */
  openOffsetMap(options: OffsetMapOptions): OffsetMap
}

/** Uncompressed records of a magic 2 batch: `bytes[start, end)`. */
export interface RecordRegion {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly count: number
  /** Of the batch. */
  readonly baseOffset: bigint
}

/** Records as columns. All positions are bytes of what was parsed. */
export interface RecordColumns {
  readonly capacity: number
  /** In the log. */
  readonly offsets: BigInt64Array
  readonly timestampDeltas: BigInt64Array
  /** First byte of the record, which is its length. */
  readonly positions: Int32Array
  /** Behind its last byte. */
  readonly ends: Int32Array
  readonly keyPositions: Int32Array
  /** -1: no key. */
  readonly keySizes: Int32Array
  /** -1: no value (a tombstone). */
  readonly valueSizes: Int32Array
  /** 1: the map holds a higher offset for this key; see `OffsetMap.markSuperseded`. */
  readonly superseded: Uint8Array
  /** For whoever decides: 0 drops the record. */
  readonly keep: Uint8Array
  /** One value; see `RecordKernel.copy`. */
  readonly largestTimestampDelta: BigInt64Array
}

/** Rows `[from, from + count)`. */
export interface RowRange {
  readonly from: number
  readonly count: number
}

/** What becomes of each record's timestamp delta: `shift` is added to it, or it is `delta`. */
export type TimestampMove = { readonly shift: bigint } | { readonly delta: bigint }

/** A slot of an offset map: 16 bytes of the key's hash, 8 of an offset. */
export const SLOT_BYTES = 24

export interface OffsetMapOptions {
  /** Of slots of `SLOT_BYTES`. */
  readonly memoryBytes: number
  /** `md5` as in Kafka; `xxh3`: XXH3, 128 bits, seed 0. */
  readonly hash: 'md5' | 'xxh3'
}

/**
 * Key -> last offset, without the keys: two of the same hash count as one.
 * Follows Kafka's SkimpyOffsetMap (which slot a key gets differs nowhere that
 * anybody can see). Used by one thread. All methods are sync.
 */
export interface OffsetMap {
  readonly slots: number
  /** Keys in it. */
  readonly size: number
  /**
   * Takes rows `[from, from + count)` that have a key and an offset of at least
   * `fromOffset`, in order; a later offset replaces an earlier one. Stops
   * before the first such row that finds `maxSize` (below `slots`) keys in the
   * map, whether its key is there or not. Gives the rows that it came past:
   * `count`, or fewer where it is full.
   */
  put(bytes: Uint8Array, columns: RecordColumns, rows: RowRange, fromOffset: bigint, maxSize: number): number
  /** Sets `columns.superseded` of each row: 1 where the map holds a higher offset for its key, else 0 (also without a key). */
  markSuperseded(bytes: Uint8Array, columns: RecordColumns, rows: RowRange): void
  clear(): void
  /** Gives the memory back. Idempotent; no other method may be called after it. */
  close(): void
}
