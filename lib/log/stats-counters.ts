/**
 * What a log has done since it was opened, as plain numbers: the counting is
 * a few additions on the way of an append, the arithmetic is done by who asks.
 */

import { Histogram } from '../base/histogram.js'
import type { RollReason } from '../segment/roll-reason.js'

/** An append whose write took longer has stalled. */
const STALL_MS = 10

/** How often segments were rolled, by reason; `requested` by `log.roll()`, or to show an end. */
export type RollCounts = Record<Exclude<RollReason, 'none'> | 'requested' | 'retention', number>

export class LogCounters {
  appends = 0
  messagesIn = 0
  bytesIn = 0
  fetches = 0
  bytesOut = 0
  appendStalls = 0
  longestAppendStallMs = 0
  /** When the last check of retention began, ms since the epoch. */
  lastRetentionCheckMs: number | null = null
  readonly rolls: RollCounts = {
    size: 0,
    time: 0,
    'offset-index-full': 0,
    'time-index-full': 0,
    'offset-overflow': 0,
    requested: 0,
    retention: 0,
  }
  readonly refusedAppends = new Map<string, number>()
  /** How long flushes took, in microseconds. */
  readonly flushTimes = new Histogram()

  /** Batches are in the log. */
  wrote(messages: number, bytes: number): void {
    this.messagesIn += messages
    this.bytesIn += bytes
  }

  /** An append is done; `tookMs`: its rolls and writes together. */
  appended(tookMs: number): void {
    this.appends++
    if (tookMs > STALL_MS) this.#stalled(tookMs)
  }

  fetched(bytes: number): void {
    this.fetches++
    this.bytesOut += bytes
  }

  rolled(reason: keyof RollCounts | 'none'): void {
    if (reason !== 'none') this.rolls[reason]++
  }

  flushed(tookMs: number): void {
    this.flushTimes.record(tookMs * 1_000)
  }

  /** Counts an append that `error` refused, and gives the error back. */
  refused(error: unknown): unknown {
    const code = (error as { readonly code?: unknown } | null)?.code
    const key = typeof code === 'string' ? code : 'other'
    this.refusedAppends.set(key, (this.refusedAppends.get(key) ?? 0) + 1)
    return error
  }

  /** Counts all that `other` has counted. */
  add(other: LogCounters): void {
    this.appends += other.appends
    this.messagesIn += other.messagesIn
    this.bytesIn += other.bytesIn
    this.fetches += other.fetches
    this.bytesOut += other.bytesOut
    this.appendStalls += other.appendStalls
    this.longestAppendStallMs = Math.max(this.longestAppendStallMs, other.longestAppendStallMs)
    const checks = [this.lastRetentionCheckMs, other.lastRetentionCheckMs].filter((ms) => ms !== null)
    this.lastRetentionCheckMs = checks.length === 0 ? null : Math.max(...checks)
    for (const reason of Object.keys(this.rolls) as (keyof RollCounts)[])
      this.rolls[reason] += other.rolls[reason]
    for (const [code, count] of other.refusedAppends)
      this.refusedAppends.set(code, (this.refusedAppends.get(code) ?? 0) + count)
    this.flushTimes.add(other.flushTimes)
  }

  #stalled(tookMs: number): void {
    this.appendStalls++
    this.longestAppendStallMs = Math.max(this.longestAppendStallMs, tookMs)
  }
}
