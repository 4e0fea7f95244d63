/**
 * The two arrays that native functions write their answers into, and what the
 * answers mean. They hold until this thread's next native call, so every
 * caller reads its own at once.
 */

import { IoError, ioError } from '../../errors.js'
import type { Translation } from '../contract.js'
import { errnoName } from '../node-error.js'
import type { NativeAddon } from './addon.js'

/** Places in `numbers`; the same list is in native/api/environment.h. */
export const At = {
  error: 0,
  call: 1,
  errorPosition: 2,
  part: 3,
  damaged: 4,
  stop: 5,
  position: 6,
  indexKey: 7,
  indexValue: 8,
  size: 9,
  magic: 10,
  length: 11,
  capacity: 12,
  oddBytes: 13,
  badRow: 14,
  start: 15,
} as const

/** What `start` says where there is no slice: its bytes would be waited for; they are more than the buffer holds. */
export const NOT_CACHED = -1
export const TOO_LONG = -2

/** Places in `bigs`. */
export const BigAt = { baseOffset: 0, lastOffset: 1, timestamp: 2 } as const

export class Answers {
  readonly #addon: NativeAddon
  readonly #numbers: Int32Array
  readonly #bigs: BigInt64Array

  constructor(addon: NativeAddon) {
    this.#addon = addon
    this.#numbers = addon.numbers
    this.#bigs = addon.bigs
  }

  number(at: number): number {
    return this.#numbers[at] as number
  }

  big(at: number): bigint {
    return this.#bigs[at] as bigint
  }

  get failed(): boolean {
    return this.#numbers[At.error] !== 0
  }

  /** Symbolic errno of the last failure. */
  get errno(): string {
    return errnoName(this.number(At.error))
  }

  /** Throws the last call's failure, if it is one, as an error about `path`. */
  check(path: string): void {
    if (this.failed) throw this.failure(path)
  }

  /** The last failure as an error about `path`. */
  failure(path: string): IoError {
    const position = this.number(At.errorPosition)
    return ioError(this.#syscall(), this.errno, path, position < 0 ? {} : { position })
  }

  /**
   * The last failure of a write: where the files could not be put back either
   * it says `damaged`, and is never `ERR_DISK_FULL`, which promises they were.
   */
  writeFailure(path: string): IoError {
    const error = this.failure(path)
    if (this.number(At.damaged) === 0) return error
    const { syscall, errno, position } = error
    const fields = {
      path,
      ...(syscall && { syscall }),
      ...(errno && { errno }),
      ...(position !== undefined && { position }),
    }
    return Object.assign(new IoError('ERR_IO', error.message, fields), { damaged: true })
  }

  translation(): Translation {
    const stop = this.#addon.scanStops[this.number(At.stop)] ?? 'end'
    const position = this.number(At.position)
    const indexEntry = { relativeOffset: this.number(At.indexKey), position: this.number(At.indexValue) }
    if (stop !== 'found') return { indexEntry, batch: null, stop, position }
    const batch = {
      position,
      sizeInBytes: this.number(At.size),
      baseOffset: this.big(BigAt.baseOffset),
      lastOffset: this.big(BigAt.lastOffset),
      magic: this.number(At.magic),
    }
    return { indexEntry, batch, stop, position }
  }

  #syscall(): string {
    return this.#addon.callNames[this.number(At.call)] ?? 'unknown'
  }
}
