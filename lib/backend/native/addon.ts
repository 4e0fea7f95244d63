/**
 * The addon as it exports itself: functions over handles (numbers) that write
 * their answers into arrays bound once. Nothing else in the package knows its
 * shape; native/api has the other side, function by function.
 */

import type { ScanStop } from '../contract.js'

/** Names an open file, lane or lock of this thread; below 2^53. */
export type Handle = number

export interface NativeAddon {
  readonly sourceHash: string
  readonly layoutFingerprint: string
  /** Which kind of lock a directory gets. */
  readonly locks: string
  /** Names for the numbers in `Answer.call` and `Answer.stop`. */
  readonly callNames: readonly string[]
  readonly scanStops: readonly ('found' | ScanStop)[]

  /** What every function writes its answers into; see `answers.ts`. */
  readonly numbers: Int32Array
  readonly bigs: BigInt64Array

  crc32c(bytes: Uint8Array, start: number, end: number): number

  log_open(
    path: string,
    mode: number,
    baseOffset: bigint,
    preallocateBytes: number,
    spare?: Handle | undefined,
  ): Handle | undefined
  log_append(log: Handle, bytes: Uint8Array, length: number, seal: boolean): void
  log_append(
    log: Handle,
    bytes: Uint8Array,
    length: number,
    seal: boolean,
    offsetIndex: Handle,
    timeIndex: Handle,
    offsetEntries: Uint8Array | undefined,
    timeEntries: Uint8Array | undefined,
  ): void
  log_truncate(log: Handle, sizeInBytes: number): void
  log_translate(log: Handle, offsetIndex: Handle, target: number): void
  /** Reads into `buffer` from `bufferStart` on; the slice begins `start` behind it by the answers. See `NOT_CACHED`, `TOO_LONG`. */
  log_slice(
    log: Handle,
    offsetIndex: Handle,
    target: number,
    fromPosition: number,
    endPosition: number,
    maxBytes: number,
    minOneBatch: boolean,
    wait: boolean,
    buffer: Uint8Array,
    bufferStart: number,
  ): void
  /** Offsets relative. By the answers `NOT_CACHED`, or the record's offset and time. */
  log_find_time(
    log: Handle,
    offsetIndex: Handle,
    timeIndex: Handle,
    timestamp: number,
    firstOffset: number,
    endOffset: number,
    endPosition: number,
  ): void
  log_read_into(log: Handle, target: Uint8Array, position: number, wait: boolean): void
  log_close(log: Handle): void

  index_open(
    path: string,
    kind: number,
    mode: number,
    capacityBytes: number,
    mayMap: boolean,
    spare?: Handle | undefined,
  ): Handle | undefined
  index_append(index: Handle, entries: Uint8Array): void
  index_entry(index: Handle, n: number): void
  index_lookup(index: Handle, key: number | bigint): void
  index_truncate(index: Handle, count: number): void
  index_resize(index: Handle, capacityBytes: number): void
  index_trim(index: Handle): void
  index_close(index: Handle): void

  lane_open(completed: (id: number, payload: unknown) => void, inBackground?: boolean): Handle
  lane_flush(lane: Handle, id: number, files: readonly Handle[]): void
  lane_flush_path(lane: Handle, id: number, path: string): void
  /** The payload is a handle; undefined with an error set. */
  lane_make_spare(lane: Handle, id: number, directory: string, capacityBytes: number): void
  /** Names between slashes; the payload is three doubles a name: size (below 0: missing), modifiedMs, identity. */
  lane_look(lane: Handle, id: number, directory: string, names: string): void
  lane_read(lane: Handle, id: number, log: Handle, position: number, length: number): void
  lane_slice(
    lane: Handle,
    id: number,
    log: Handle,
    offsetIndex: Handle,
    target: number,
    fromPosition: number,
    endPosition: number,
    maxBytes: number,
    minOneBatch: boolean,
  ): void
  lane_scan(
    lane: Handle,
    id: number,
    log: Handle,
    rows: ArrayBuffer,
    fromPosition: number,
    endPosition: number,
    maxBatches: number,
    checkCrc: boolean,
    untilTimestamp: bigint | undefined,
  ): void
  lane_close(lane: Handle, id: number): void

  record_parse(
    bytes: Uint8Array,
    start: number,
    end: number,
    count: number,
    baseOffset: bigint,
    columns: ArrayBuffer,
    row: number,
  ): void
  record_copy(
    bytes: Uint8Array,
    columns: ArrayBuffer,
    from: number,
    count: number,
    isShift: boolean,
    amount: bigint,
    out: Uint8Array,
    outPosition: number,
  ): void

  /** Undefined with an error set. */
  map_open(slots: number, isXxh3: boolean): Handle | undefined
  map_put(
    map: Handle,
    bytes: Uint8Array,
    columns: ArrayBuffer,
    from: number,
    count: number,
    fromOffset: bigint,
    maxSize: number,
  ): void
  map_mark(map: Handle, bytes: Uint8Array, columns: ArrayBuffer, from: number, count: number): void
  map_clear(map: Handle): void
  map_close(map: Handle): void

  /** Undefined where it is held by another, or with an error set. */
  lock_acquire(path: string): Handle | undefined
  lock_release(lock: Handle): void

  spare_close(spare: Handle): void
}

/** The numbers that `open` functions take. */
export const OPEN_MODES = { create: 0, write: 1, read: 2 } as const
export const INDEX_KINDS = { offset: 0, time: 1 } as const
