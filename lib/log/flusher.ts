/**
 * Makes appends durable: one flush at a time for a log, off the event loop,
 * and each serves every append that was made before it began.
 *
 * A finished flush moves the durable offset and the recovery point. A failed
 * fsync is final: the log goes offline and all who wait get the error.
 */

import type { PartitionLogError } from '../errors.js'
import type { Segment } from '../segment/segment.js'
import { closed } from './condition-errors.js'
import { announce } from './events.js'
import type { LogCore } from './log-core.js'
import { asLogError } from './log-error.js'
import { type LogState, maxOffset, minOffset } from './log-state.js'

/** Flushes of one log asked for before it looks again whether they are still wanted. */
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
  #flushedDirectoryChanges: number

  constructor(core: LogCore) {
    this.#core = core
    // A file that was made when the log was opened has been in no flush.
    const made = core.state.segments.some(({ isFlushed }) => !isFlushed)
    this.#flushedDirectoryChanges = core.directoryChanges - (made ? 1 : 0)
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
    const startedMs = core.env.clock.elapsedMs()
    await core.sideFiles.flush()
    const { segments, endOffset } = unflushed(state, offset)
    for (let from = 0; from < segments.length; from += SEGMENTS_AT_ONCE) {
      // A truncation took segments away: what is left to flush has to be worked out anew.
      if (core.state.generation !== state.generation) return
      const group = segments.slice(from, from + SEGMENTS_AT_ONCE)
      // What retention took away meanwhile needs no flush.
      const wanted = group.filter((segment) => core.state.segments.includes(segment))
      await Promise.all(wanted.map((segment) => this.#flushSegment(segment)))
    }
    if (directoryChanges > this.#flushedDirectoryChanges) {
      await core.env.flushLane.flushPath(core.env.directory)
      this.#flushedDirectoryChanges = directoryChanges
    }
    if (core.renamings.isRunning) {
      // Segments that retention is taking away unflushed can come back until their names are gone, and what lies behind
      // would be cut with them.
      await core.renamings.ended()
      core.assertUsable()
    }
    core.lastFlushMs = core.env.clock.nowMs()
    const ms = core.env.clock.elapsedMs() - startedMs
    core.counters.flushed(ms)
    this.#publish(state, endOffset)
    announce('flush', () => ({ log: core.env.name, durableOffset: endOffset, ms: Math.round(ms) }))
  }

  async #flushSegment(segment: Segment): Promise<void> {
    const core = this.#core
    try {
      await segment.flush(core.env.flushLane)
    } catch (error) {
      // Taken out of the log while its turn had not come: nothing of it needs to last.
      const isGone = core.condition === 'open' && !core.state.segments.includes(segment)
      if (!isGone || asLogError(error).code !== 'ERR_CLOSED') throw error
    }
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
