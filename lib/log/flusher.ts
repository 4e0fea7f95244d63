/**
 * Makes appends durable: one flush at a time for a log, off the event loop,
 * and each serves every append that was made before it began.
 *
 * A finished flush moves the durable offset and the recovery point. A failed
 * fsync is final: the log goes offline and all who wait get the error.
 */

import type { PartitionLogError } from '../errors.js'
import type { Segment } from '../segment/segment.js'
import { announce } from './events.js'
import { closed, type LogCore } from './log-core.js'
import { type LogState, maxOffset, minOffset } from './log-state.js'
import { asLogError } from './roll.js'

/** Fewer than the segments that may be open at once: opening one must not close another of the same flush. */
const SEGMENTS_AT_ONCE = 8

interface Waiter {
  readonly offset: bigint
  resolve(): void
  reject(error: unknown): void
}

export class Flusher {
  readonly #core: LogCore
  #waiters: Waiter[] = []
  #running: Promise<void> | undefined
  #flushedDirectoryChanges = -1

  constructor(core: LogCore) {
    this.#core = core
  }

  /** Resolves when every byte below `offset` is on disk. */
  whenDurable(offset: bigint): Promise<void> {
    return offset <= this.#core.state.durableOffset ? Promise.resolve() : this.flushTo(offset)
  }

  /** The same, and what was changed since in segments below: a roll trims files whose records were durable before. */
  flushTo(offset: bigint): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ offset, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when no flush is running any more; whatever its outcome, the waiters got it. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    // Appends of the same turn share the flush.
    await new Promise<void>((resolve) => this.#core.env.clock.soon(resolve))
    try {
      while (this.#waiters.length > 0) {
        await this.#flushOnce(this.#waiters.reduce((max, { offset }) => maxOffset(max, offset), 0n))
        this.#settle()
      }
    } catch (error) {
      this.#fail(asLogError(error))
    } finally {
      this.#running = undefined
    }
  }

  async #flushOnce(offset: bigint): Promise<void> {
    const core = this.#core
    core.assertUsable()
    const { state, directoryChanges } = core
    const startedMs = core.env.clock.nowMs()
    const { segments, endOffset } = unflushed(state, offset)
    for (let from = 0; from < segments.length; from += SEGMENTS_AT_ONCE) {
      // A truncation took segments away: what is left to flush has to be worked out anew.
      if (core.state.generation !== state.generation) return
      const group = segments.slice(from, from + SEGMENTS_AT_ONCE)
      // What retention took away meanwhile needs no flush.
      await this.#flushFiles(group.filter((segment) => core.state.segments.includes(segment)))
    }
    if (directoryChanges > this.#flushedDirectoryChanges) {
      await core.env.flushLane.flushPath(core.env.directory)
      this.#flushedDirectoryChanges = directoryChanges
    }
    core.lastFlushMs = core.env.clock.nowMs()
    this.#publish(state, endOffset)
    announce('flush', () => ({
      log: core.env.name,
      durableOffset: endOffset,
      ms: core.env.clock.nowMs() - startedMs,
    }))
  }

  async #flushFiles(segments: readonly Segment[]): Promise<void> {
    const pending = segments.map((segment) => segment.unflushed())
    await this.#core.env.flushLane.flush(pending.flatMap(({ files }) => files))
    for (const { flushed } of pending) flushed()
  }

  /** What was flushed counts only if it is still the log's: a truncation may have come between. */
  #publish(before: LogState, flushedTo: bigint): void {
    const { state } = this.#core
    if (state.generation !== before.generation) return
    const endOffset = minOffset(flushedTo, state.logEndOffset)
    this.#core.publish({
      durableOffset: maxOffset(state.durableOffset, endOffset),
      recoveryPoint: maxOffset(state.recoveryPoint, endOffset),
    })
  }

  /** A truncation takes the end below what was waited for: that is as durable as it will get. */
  #settle(): void {
    const { durableOffset, logEndOffset } = this.#core.state
    const done = (waiter: Waiter) => waiter.offset <= durableOffset || durableOffset === logEndOffset
    for (const waiter of this.#waiters) if (done(waiter)) waiter.resolve()
    this.#waiters = this.#waiters.filter((waiter) => !done(waiter))
  }

  #fail(error: PartitionLogError): void {
    if (this.#core.condition === 'open') this.#core.goOffline(error)
    const failed = this.#waiters
    this.#waiters = []
    for (const { reject } of failed)
      reject(this.#core.condition === 'closed' ? closed(this.#core.env.name) : error)
  }
}

/** Segments below `offset` with something to flush, and the offset that their flush reaches. */
function unflushed(state: LogState, offset: bigint) {
  const next = state.segments.find(({ baseOffset }) => baseOffset >= offset)
  return {
    segments: state.segments.filter(({ baseOffset, isFlushed }) => baseOffset < offset && !isFlushed),
    endOffset: next === undefined ? state.logEndOffset : next.baseOffset,
  }
}
