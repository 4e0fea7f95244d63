/**
 * The whole boundary between the engine and a backend.
 *
 * Two implementations exist, `native` (C++) and `portable` (TypeScript); the
 * conformance suite holds them to one behaviour: same results, same bytes on
 * disk, same errors. A backend answers with facts (where batches lie, where
 * good bytes end and why); it never decides to cut, delete or roll.
 *
 * Conventions. Positions and sizes are bytes, below 2^31, and cross as
 * numbers; so do relative offsets (offset less the segment's base offset).
 * Offsets and timestamps are bigint. Input bytes may be reused by the caller
 * as soon as a call returns; returned bytes are the caller's alone. A method
 * that fails throws `ioError` (errors.ts) with the system call and errno.
 * "sync" methods may be used on the event loop, `Lane` methods run elsewhere.
 */

import type { RecordKernel } from './record-kernel.js'

export type BackendName = 'native' | 'portable'

export interface Backend {
  readonly name: BackendName

  /** CRC-32C (Castagnoli) of `bytes[start, end)`, as an unsigned number. */
  crc32c(bytes: Uint8Array, start: number, end: number): number

  /**
   * Opens a segment's `.log`. Mode `create` makes the file, with permissions
   * 0640, or empties one that is there (the engine knows every file that
   * counts: it can only be left from a roll that failed half way); with
   * `preallocateBytes` the file gets that length at once, its valid size stays
   * 0. Modes `write` and `read`
   * fail with ENOENT where it is not, and start with the file's length as
   * valid size (at most 2^31 - 1; longer: `ioError('open', 'EFBIG', …)`).
   */
  openLogFile(path: string, options: OpenLogOptions): LogFile

  /** Opens an `.index` or `.timeindex`. */
  openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' }): OffsetIndexFile
  openIndexFile(path: string, options: OpenIndexOptions & { kind: 'time' }): TimeIndexFile

  /**
   * A thread of our own for what may block; never libuv's pool. One for work in
   * the `background` takes the processor from no other thread when it wakes
   * (Linux, native backend).
   */
  openLane(work?: 'background'): Lane

  /**
   * Takes the exclusive lock of a log directory through its `.lock` file,
   * excluding other threads of this process too. Throws `ERR_LOCKED` with the
   * holder's pid where it is known.
   */
  lockDirectory(directory: string): DirectoryLock

  /** Records taken apart, copied and looked up by key, for cleaning. */
  readonly records: RecordKernel
}

export type OpenMode = 'create' | 'write' | 'read'

export interface OpenLogOptions {
  readonly mode: OpenMode
  readonly baseOffset: bigint
  readonly preallocateBytes?: number
  /** For `create` without `preallocateBytes`: its file is given that name, where it can; else one is made as without it. */
  readonly spare?: SpareFiles | undefined
}

export interface OpenIndexOptions {
  readonly mode: OpenMode
  /**
   * File length in bytes while the segment is active, rounded down to whole
   * entries. For `create` the file gets that length at once, zero-filled.
   * `write` and `read` ignore it: capacity is then what the file holds.
   */
  readonly capacityBytes: number
  /** For `create` with the `capacityBytes` that it was made with: as for a `.log`. */
  readonly spare?: SpareFiles | undefined
}

/**
 * Three empty files without a name, made ahead for a segment that is to come.
 * Nobody finds them, and they are gone with whoever made them. Opening each
 * file of a segment in mode `create` takes its own.
 */
export interface SpareFiles {
  /** Lets go of those that were not taken. Idempotent. */
  close(): void
}

/** Bytes to append, with the index entries that come due with them. */
export interface AppendRequest {
  /** Whole batches, back to back; `bytes[0, length)` is written. */
  readonly bytes: Uint8Array
  readonly length: number
  /**
   * `bytes` is one magic 2 batch of our own making: its CRC is computed over
   * `bytes[21, length)` and stored (into `bytes` too) before the write.
   */
  readonly seal: boolean
  /** Whole 8-byte entries for the offset index, in file form. */
  readonly offsetEntries?: Uint8Array
  /** Whole 12-byte entries for the time index, in file form. */
  readonly timeEntries?: Uint8Array
}

/** A segment's `.log`. */
export interface LogFile {
  readonly path: string
  readonly baseOffset: bigint
  /** Bytes that count; what the file has beyond is never read. */
  readonly sizeInBytes: number

  /**
   * Writes at `sizeInBytes` and moves it on, then appends index entries; all
   * or nothing. `ERR_DISK_FULL`: everything was cut back, the files are as
   * before. Any other error: they may not be, and the log must go offline
   * (the error has `damaged: true` where the cut-back failed as well).
   */
  append(request: AppendRequest, offsetIndex: OffsetIndexFile, timeIndex: TimeIndexFile): void

  /** Cuts the file, and the valid size, to `sizeInBytes` (sync). */
  truncate(sizeInBytes: number): void

  /** Cuts a preallocated tail off. Does not touch the file if there is none. */
  trim(): void

  /**
   * Finds the first batch whose last offset is at least `target` (relative),
   * reading batch headers from the index's answer on. May block on a cold
   * page: on the event loop use `sliceIfCached`, or a lane.
   */
  translate(index: OffsetIndexFile, target: number): Translation

  /**
   * `translate`, then the bytes from that batch on: at most `maxBytes`, but
   * never less than the first batch where `minOneBatch` is set, and never
   * beyond `endPosition`. The last batch may be cut. Undefined where the bytes
   * are not in the page cache (the portable backend cannot know: always).
   */
  sliceIfCached(index: OffsetIndexFile, target: number, bounds: SliceBounds): Slice | undefined

  /** The same, blocking until the bytes are there. */
  sliceBlocking(index: OffsetIndexFile, target: number, bounds: SliceBounds): Slice

  /**
   * A short cut to the record of a time, in segments whose indexes are sound:
   * what it gives is the record of `query`. Undefined says nothing: the bytes
   * may not be in the page cache or too many, the batch compressed, of an old
   * format or damaged; there may be no such record (the portable backend:
   * always).
   */
  findTimeIfCached(
    offsetIndex: OffsetIndexFile,
    timeIndex: TimeIndexFile,
    query: TimeQuery,
  ): FoundRecord | undefined

  /**
   * `bytes[position, position + length)`, blocking; shorter only where the
   * valid size ends.
   */
  readBlocking(position: number, length: number): Buffer

  /** The same where it need not wait for the disk; undefined where it would, or may (the portable backend: always). */
  readIfCached(position: number, length: number): Buffer | undefined

  /** The same into `target`, as much as it holds; gives the number of bytes. Blocking. */
  readInto(target: Uint8Array, position: number): number

  /** Idempotent; resolves when work in flight on a lane has ended. */
  close(): Promise<void>
}

/**
 * The first record from `firstOffset` on with a timestamp of at least
 * `timestamp`, where no record before it lies at or behind `endOffset`. All
 * safe integers; offsets relative, from 0 on.
 */
export interface TimeQuery {
  readonly timestamp: number
  readonly firstOffset: number
  readonly endOffset: number
  /** Bytes of the log that count. */
  readonly endPosition: number
}

export interface FoundRecord {
  readonly offset: bigint
  readonly timestamp: bigint
}

export interface SliceBounds {
  /** Where reading may start at the earliest (a reader's last position), 0 for none. */
  readonly fromPosition: number
  readonly endPosition: number
  readonly maxBytes: number
  readonly minOneBatch: boolean
}

/** How an offset was found. */
export interface Translation {
  /** The index's answer; `{relativeOffset: 0, position: 0}` where it has none below. */
  readonly indexEntry: OffsetIndexEntry
  /** Null where no batch reaches the target, or a bad header stopped the search. */
  readonly batch: BatchPlace | null
  /** Why the search ended: `'found'`, or as a scan says. */
  readonly stop: 'found' | ScanStop
  /** Where the search ended: the batch, or the header that is bad. */
  readonly position: number
}

export interface BatchPlace {
  readonly position: number
  readonly sizeInBytes: number
  /** The header's first eight bytes: base offset (magic 2) or the last (older). */
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly magic: number
}

/** `bytes` is empty where `translation.batch` is null. */
export interface Slice {
  readonly translation: Translation
  readonly bytes: Buffer
}

export interface OffsetIndexEntry {
  /** Last offset of the batch, less the segment's base offset. */
  readonly relativeOffset: number
  /** First byte of that batch. */
  readonly position: number
}

export interface TimeIndexEntry {
  /** Largest timestamp up to and with `relativeOffset`. */
  readonly timestamp: bigint
  readonly relativeOffset: number
}

/**
 * A sorted file of fixed entries. `entries` counts those in use; a file opened
 * for write or read starts with all whole entries of its length, and the engine
 * truncates where they are a zero tail. All methods are sync. Lookups are safe for any bytes:
 * an unsorted file gives a wrong entry, never one out of bounds.
 */
export interface IndexFile<Key, Entry> {
  readonly kind: 'offset' | 'time'
  readonly path: string
  readonly entrySize: 8 | 12
  readonly entries: number
  /** Entries that fit into the file as it is long now. */
  readonly capacity: number
  /** Bytes of the file beyond its last whole entry (a sound index has none). */
  readonly oddBytes: number

  /** Appends whole entries in file form, `ERR_NO_ROOM` (nothing written) beyond `capacity`. */
  append(entries: Uint8Array): void
  /** Entry `n`, 0 <= n < entries. */
  entry(n: number): Entry
  /**
   * The last entry whose key is at most `key`, or null. Kafka's search: the
   * warm section (last 8 KB) first, then the rest.
   */
  lookup(key: Key): Entry | null
  /** Drops entries from `count` on; zeroes them, the file keeps its length. In mode `read` only what counts here changes. */
  truncate(count: number): void
  /** Gives the file room for `capacityBytes` rounded down to whole entries (never less than `entries`). */
  resize(capacityBytes: number): void
  /** Cuts the file to the entries in use. Does not touch it if it has that length. */
  trim(): void
  close(): Promise<void>
}

/** Key: relative offset. */
export type OffsetIndexFile = IndexFile<number, OffsetIndexEntry>
/** Key: timestamp. */
export type TimeIndexFile = IndexFile<bigint, TimeIndexEntry>

/** Why a scan stopped. */
export type ScanStop =
  /** It came to the end position exactly. */
  | 'end'
  /** `maxBatches` were read, or as many as one answer holds (never less than 65,536). */
  | 'limit'
  /** Fewer bytes are left than a header (17 up to the magic, 61 for magic 2; 26 / 34 for magic 0 / 1). */
  | 'torn-header'
  /** The batch's length reaches beyond the end position. */
  | 'torn-batch'
  /** The length field is below the format's least. */
  | 'bad-length'
  /** Magic is not 0, 1 or 2. */
  | 'bad-magic'
  /** The checksum differs (only with `checkCrc`). */
  | 'bad-crc'
  /** Last offset below the batch's base or the segment's, or not above the batch before. */
  | 'offset-order'

export interface ScanOptions {
  readonly fromPosition: number
  readonly endPosition: number
  readonly maxBatches: number
  /** CRC-32C for magic 2, CRC-32 for older. */
  readonly checkCrc: boolean
  /** Leave out batches whose largest timestamp is below; the scan then stops after the first that is not. */
  readonly untilTimestamp?: bigint
  /**
   * An earlier answer of the same backend that nobody needs any more: its
   * memory may be used for this one, and it means nothing from now on.
   */
  readonly reuse?: BatchColumns
}

/**
 * Batches as columns: row `i` of each array is one batch, `count` rows are
 * filled. For magic 0 and 1 the fields that they lack are -1 (`counts` 1,
 * `baseOffsets` and `lastOffsets` the header's offset; timestamp -1 in magic 0).
 */
export interface BatchColumns {
  readonly count: number
  readonly positions: Int32Array
  readonly sizes: Int32Array
  readonly magics: Int32Array
  readonly attributes: Int32Array
  readonly leaderEpochs: Int32Array
  readonly crcs: Uint32Array
  readonly counts: Int32Array
  readonly producerEpochs: Int32Array
  readonly baseSequences: Int32Array
  readonly baseOffsets: BigInt64Array
  readonly lastOffsets: BigInt64Array
  readonly baseTimestamps: BigInt64Array
  readonly maxTimestamps: BigInt64Array
  readonly producerIds: BigInt64Array
}

export interface BatchScan {
  readonly batches: BatchColumns
  /** First byte after the last good batch: where the next scan goes on. */
  readonly endPosition: number
  readonly stop: ScanStop
  /** Checksum computed, where `stop` is `'bad-crc'` (`expected` is the stored one). */
  readonly crc?: { readonly expected: number; readonly actual: number }
}

/**
 * One thread with a queue: operations of a lane run one after the other, in
 * the order of the calls. Pending operations keep the process alive, an idle
 * lane does not. Files closed meanwhile stay open until their operation ends.
 */
export interface Lane {
  /** fdatasync of each file; resolves when all are on disk. The first failure rejects. */
  flush(files: readonly (LogFile | OffsetIndexFile | TimeIndexFile)[]): Promise<void>
  /** fsync of a directory (its entries: creates, renames) or of a file by path. */
  flushPath(path: string): Promise<void>
  /**
   * Files for a segment of `directory` that is to come, its indexes at their
   * length. Undefined where the system knows no files without a name, as on
   * the portable backend.
   */
  makeSpare(directory: string, capacityBytes: number): Promise<SpareFiles | undefined>
  /** As `Files.look` of each name in `directory`, in their order. */
  look(directory: string, names: readonly string[]): Promise<(FileLook | undefined)[]>
  /** As `LogFile.sliceBlocking`. */
  slice(log: LogFile, index: OffsetIndexFile, target: number, bounds: SliceBounds): Promise<Slice>
  /** As `LogFile.readBlocking`. */
  read(log: LogFile, position: number, length: number): Promise<Buffer>
  scan(log: LogFile, options: ScanOptions): Promise<BatchScan>
  /** Idempotent; resolves when the queue is empty and the thread has ended. Later calls reject with `ERR_CLOSED`. */
  close(): Promise<void>
}

/**
 * Small operations on a directory's entries, at opening, rolling back and
 * deleting. One implementation serves both backends; all are asynchronous.
 */
export interface Files {
  /**
   * Entries of a directory, unsorted. `ENOENT` where it is missing. Length and
   * time are asked for of the files for whose name `measured` is true (default:
   * all); each costs a system call.
   */
  list(directory: string, measured?: (name: string) => boolean): Promise<DirectoryEntry[]>
  /** A file, or a directory, as it is now; undefined where it is missing. */
  look(path: string): Promise<FileLook | undefined>
  /** Whole content, or undefined where the file is missing; longer than `maxBytes` is `ERR_CORRUPT`. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>
  /** Makes or overwrites a file (mode 0640). Nothing is durable yet. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** Writes `bytes` at a position of a file, which is made (mode 0640) where it is missing. Nothing is durable yet. */
  writeAt(path: string, position: number, bytes: Uint8Array): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Sets when a file was last written to, ms since the epoch. */
  setModified(path: string, modifiedMs: number): Promise<void>
  /** Copies a file to a new name (`EEXIST` where that is taken). Nothing is durable yet. */
  copy(from: string, to: string): Promise<void>
  /** Removes a file; a missing one is fine. */
  remove(path: string): Promise<void>
  /** Makes a directory (mode 0750) and those above it; false where it was there. */
  makeDirectory(path: string): Promise<boolean>
  exists(path: string): Promise<boolean>
  /** Whether `path` itself is a symbolic link; false where it is missing. */
  isLink(path: string): Promise<boolean>
  /** Removes a directory and everything in it; a missing one is fine. Follows no links. */
  removeDirectory(path: string): Promise<void>
  /** Bytes that this process may still fill on the file system of `path`. */
  freeBytes(path: string): Promise<number>
}

export interface DirectoryEntry {
  readonly name: string
  readonly isDirectory: boolean
  /** Length of a file; 0 for a directory and where it was not asked for. */
  readonly sizeInBytes: number
  /** Last modification, milliseconds since the epoch; 0 where it was not asked for. */
  readonly modifiedMs: number
  /** What tells it from a file that took its name later (its inode); 0 where it was not asked for. */
  readonly identity: number
}

/** What is known of a path without opening it. */
export type FileLook = Pick<DirectoryEntry, 'sizeInBytes' | 'modifiedMs' | 'identity'>

export interface DirectoryLock {
  readonly path: string
  /** Removes `.lock` as a broker does, and lets go. Idempotent. */
  release(): void
}
