/**
 * The room of one log directory: refuses appends that would take more than
 * `maxTotalBytes` or leave less than `minFreeBytes`, before anything is
 * written, so that checkpoints, deletion and cleaning always can. Everything
 * else that a log does goes on.
 *
 * `maxTotalBytes` counts the record batches in the `.log` files of the logs
 * that are open here, segments and logs included that were deleted and whose
 * files are not removed yet. Not counted: indexes, preallocated space that
 * holds nothing yet, checkpoints, and logs that are not open.
 */

import { PartitionLogError } from '../errors.js'
import type { AppendRoom } from '../log/log-space.js'
import { FreeSpace } from './room-free-space.js'
import type { DirectoryUsage, RoomOptions, RoomStats } from './room-limits.js'

export class Room implements AppendRoom {
  readonly #path: string
  readonly #usage: DirectoryUsage
  readonly #maxTotalBytes: number
  readonly #free: FreeSpace

  private constructor(options: RoomOptions) {
    this.#path = options.path
    this.#usage = options.usage
    this.#maxTotalBytes = options.limits.maxTotalBytes
    this.#free = new FreeSpace(options)
  }

  /** Measures once, where `minFreeBytes` is set; throws the I/O error where that fails. */
  static async open(options: RoomOptions): Promise<Room> {
    const room = new Room(options)
    await room.#free.begin()
    return room
  }

  check(bytes: number, reservedBytes: number, nowMs: number): void {
    if (this.#usage.sizeInBytes + bytes > this.#maxTotalBytes) throw this.#tooMuch(bytes)
    this.#free.check(bytes + reservedBytes, nowMs)
  }

  took(bytes: number): void {
    this.#usage.sizeInBytes += bytes
    this.#usage.writtenBytes += bytes
  }

  reserved(bytes: number): void {
    this.#usage.writtenBytes += bytes
  }

  found(bytes: number): void {
    this.#usage.sizeInBytes += bytes
  }

  gaveBack(bytes: number): void {
    this.#usage.sizeInBytes -= bytes
    this.#free.mayHaveGrown()
  }

  left(bytes: number): void {
    this.#usage.sizeInBytes -= bytes
  }

  stats(): RoomStats {
    const limit = this.#maxTotalBytes
    return {
      totalBytes: this.#usage.sizeInBytes,
      maxTotalBytes: limit === Number.POSITIVE_INFINITY ? null : limit,
      ...this.#free.stats(),
    }
  }

  /** Nothing is measured any more. */
  close(): void {
    this.#free.close()
  }

  #tooMuch(bytes: number): PartitionLogError {
    const [limit, actual] = [this.#maxTotalBytes, this.#usage.sizeInBytes]
    return new PartitionLogError(
      'ERR_NO_ROOM',
      `no room for ${bytes} bytes: the logs of ${this.#path} take ${actual}, and maxTotalBytes is ${limit}; ` +
        'let retention or deleteLog take more (files count until they are removed, after file.delete.delay.ms), or raise maxTotalBytes',
      { path: this.#path, expected: limit, actual },
    )
  }
}
