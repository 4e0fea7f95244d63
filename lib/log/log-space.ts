/**
 * The room that a log's records take of its directory's: asked for before a
 * write, noted after it, given back when files are cut or removed. What the
 * room is and when there is none is the directory's to know.
 */

/** What a directory allows its logs. */
export interface AppendRoom {
  /**
   * Throws `ERR_NO_ROOM` unless `bytes` of records may be appended, for which
   * files of `reservedBytes` are made. Called with every append: two
   * comparisons as long as there is room.
   */
  check(bytes: number, reservedBytes: number, nowMs: number): void
  /** Records were appended. */
  took(bytes: number): void
  /** A file was made that takes this much before anything is written to it. */
  reserved(bytes: number): void
  /** Records of this size are there: a log was opened. */
  found(bytes: number): void
  /** Records of this size are gone from the disk. */
  gaveBack(bytes: number): void
  /** They are there still, and nobody's any more: their log is closed. */
  left(bytes: number): void
}

const nothing = () => undefined

/** For logs that are only read. */
export const UNLIMITED_ROOM: AppendRoom = {
  check: nothing,
  took: nothing,
  reserved: nothing,
  found: nothing,
  gaveBack: nothing,
  left: nothing,
}

export class LogSpace {
  readonly #room: AppendRoom
  #sizeInBytes: number

  /** Of a log that was opened with records of this size. */
  constructor(room: AppendRoom, sizeInBytes: number) {
    this.#room = room
    this.#sizeInBytes = sizeInBytes
    room.found(sizeInBytes)
  }

  /** Bytes of records in its files, those waiting for their removal included. */
  get sizeInBytes(): number {
    return this.#sizeInBytes
  }

  /** See `AppendRoom`. */
  check(bytes: number, reservedBytes: number, nowMs: number): void {
    this.#room.check(bytes, reservedBytes, nowMs)
  }

  took(bytes: number): void {
    this.#sizeInBytes += bytes
    this.#room.took(bytes)
  }

  reserved(bytes: number): void {
    this.#room.reserved(bytes)
  }

  /** Of a log that was closed meanwhile nothing is counted any more. */
  gaveBack(bytes: number): void {
    const given = Math.min(bytes, this.#sizeInBytes)
    this.#sizeInBytes -= given
    this.#room.gaveBack(given)
  }

  /** The log is closed. Idempotent. */
  close(): void {
    this.#room.left(this.#sizeInBytes)
    this.#sizeInBytes = 0
  }
}
