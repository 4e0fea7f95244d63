/**
 * Memory that slices are read into and stay in: one piece serves several, as
 * Node's own pool does for small Buffers, since memory of its own costs a
 * slice more than its bytes. What was given away is never written again.
 */

import { markAsUntransferable } from 'node:worker_threads'

const SLAB_BYTES = 1 << 16
/** Slices begin there, for who looks at them as wider numbers. */
const ALIGNMENT = 8
/** A slice is moved rather than keep more than this before it for as long as it lives. */
const MOST_WASTED = 1024

export class Slab {
  #memory = newMemory()
  #used = 0

  /** Where `room` has made free, and in what. */
  get memory(): Buffer {
    return this.#memory
  }

  get start(): number {
    return this.#used
  }

  /** Makes at least `bytes` free; false where that is more than there ever is. */
  room(bytes: number): boolean {
    if (bytes > SLAB_BYTES) return false
    if (this.#used + bytes > SLAB_BYTES) {
      this.#memory = newMemory()
      this.#used = 0
    }
    return true
  }

  /** Memory for `bytes`, which is the caller's. */
  allocate(bytes: number): Buffer {
    return this.room(bytes) ? this.take(0, bytes) : Buffer.allocUnsafeSlow(bytes)
  }

  /** Gives away `length` bytes that were written `before` bytes behind the start. */
  take(before: number, length: number): Buffer {
    const memory = this.#memory
    let start = this.#used + before
    if (before > MOST_WASTED) {
      memory.copyWithin(this.#used, start, start + length)
      start = this.#used
    }
    const end = start + length
    this.#used = Math.ceil(end / ALIGNMENT) * ALIGNMENT
    return memory.subarray(start, end)
  }
}

/** Nobody can take the memory of all slices with that of one. */
function newMemory(): Buffer {
  const memory = Buffer.allocUnsafeSlow(SLAB_BYTES)
  markAsUntransferable(memory.buffer)
  return memory
}
