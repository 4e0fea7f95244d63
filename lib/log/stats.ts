/**
 * `log.stats()`: what a log has done since it was opened, and what it has now.
 * Plain objects of numbers, null where there is nothing to tell: JSON as they
 * are. Names follow Kafka's metrics where there is one.
 */

import { isCompacted } from './cleaning/cleanable-log.js'
import type { LogCleaning } from './cleaning/log-cleaning.js'
import type { LogCore } from './log-core.js'
import { bytesOf } from './retention-plan.js'
import type { LogCounters, RollCounts } from './stats-counters.js'

/** How long things took, in ms, fractions included; null where none was counted. */
export interface LatencyStats {
  readonly count: number
  readonly meanMs: number | null
  /** At most an eighth too high, as is `p99Ms`. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

/** Counters, from the opening on. */
export interface ActivityStats {
  /** Calls of `append` and `appendBatches` that took something, and batches of appenders. */
  readonly appends: number
  /** Records appended. A compressed batch of an old format counts as one. */
  readonly messagesIn: number
  /** Bytes of record batches, as they are in the file. */
  readonly bytesIn: number
  /** Calls of `fetch` and `fetchSync`, and the chunks of `read`; also those that found nothing. */
  readonly fetches: number
  /** Bytes of record batches that these gave. */
  readonly bytesOut: number
  readonly rolls: Readonly<RollCounts>
  /** Flushes, from the first fsync to the last, those of a close left out. */
  readonly logFlush: LatencyStats
  /** Appends that threw, by the error's code; sends of an appender count as the batch that they were in. */
  readonly refusedAppends: Readonly<Record<string, number>>
  /** Appends whose write, with the rolls that it needed, took more than 10 ms of the event loop. */
  readonly appendStalls: number
  /** 0 where none has stalled. */
  readonly longestAppendStallMs: number
  /** When retention last looked at it, ms since the epoch. */
  readonly lastRetentionCheckMs: number | null
}

/** Of a log that compacts; the others have none. */
export interface CleaningStats {
  /** Cleanings that came to their end, and when the last did, ms since the epoch. */
  readonly cleanings: number
  readonly lastCleaningMs: number | null
  readonly isRunning: boolean
  /** Why the log is not cleaned for now; null where nothing is wrong. */
  readonly setAside: SetAsideStats | null
}

/** A log whose cleaning failed. */
export interface SetAsideStats {
  readonly code: string
  readonly message: string
  readonly sinceMs: number
  /** In a row. */
  readonly failures: number
  /** When it is tried again. */
  readonly retryMs: number
}

export interface LogStats extends ActivityStats {
  readonly numLogSegments: number
  /** Segments whose files are open. */
  readonly openSegments: number
  /** Bytes of record batches in the segments; Kafka's `Size`. */
  readonly sizeInBytes: number
  /** The same of segments deleted whose files are not removed yet. */
  readonly bytesPendingDeletion: number
  /** `sizeInBytes` in whole percent of `retention.bytes`, rounded down; 0 where that is unlimited, or 0. */
  readonly retentionSizeInPercent: number
  /** Null for a log that does not compact. */
  readonly cleaning: CleaningStats | null
}

export function statsOf(core: LogCore): LogStats {
  const { segments } = core.state
  const sizeInBytes = bytesOf(segments)
  return {
    ...activityOf(core.counters),
    numLogSegments: segments.length,
    openSegments: segments.filter(({ isOpen }) => isOpen).length,
    sizeInBytes,
    bytesPendingDeletion: Math.max(0, core.space.sizeInBytes - sizeInBytes),
    retentionSizeInPercent: percentOf(sizeInBytes, core.config.retentionBytes),
    cleaning: isCompacted(core) ? cleaningOf(core) : null,
  }
}

function cleaningOf({ cleaning }: LogCore): CleaningStats {
  return {
    cleanings: cleaning.cleanings,
    lastCleaningMs: cleaning.last?.endedMs ?? null,
    isRunning: cleaning.running !== undefined,
    setAside: setAsideOf(cleaning),
  }
}

/** Null where nothing is wrong. */
export function setAsideOf({ setAside }: LogCleaning): SetAsideStats | null {
  if (setAside === undefined) return null
  const { error, sinceMs, failures, retryMs } = setAside
  return { code: error.code, message: error.message, sinceMs, failures, retryMs }
}

export function activityOf(counters: LogCounters): ActivityStats {
  const { appends, messagesIn, bytesIn, fetches, bytesOut } = counters
  const { appendStalls, longestAppendStallMs, lastRetentionCheckMs } = counters
  return {
    appends,
    messagesIn,
    bytesIn,
    fetches,
    bytesOut,
    rolls: { ...counters.rolls },
    logFlush: latencyOf(counters),
    refusedAppends: Object.fromEntries(counters.refusedAppends),
    appendStalls,
    longestAppendStallMs,
    lastRetentionCheckMs,
  }
}

function latencyOf({ flushTimes }: LogCounters): LatencyStats {
  const { count, mean, max } = flushTimes
  const ms = (micros: number) => (count === 0 ? null : Math.round(micros) / 1_000)
  return {
    count,
    meanMs: ms(mean),
    p50Ms: ms(flushTimes.percentile(0.5)),
    p99Ms: ms(flushTimes.percentile(0.99)),
    maxMs: ms(max),
  }
}

/** UnifiedLog.calculateRetentionSizeInPercent, which Kafka asks at each retention check and we whenever it is asked for. */
function percentOf(sizeInBytes: number, retentionBytes: number): number {
  if (retentionBytes <= 0 || retentionBytes === Number.POSITIVE_INFINITY) return 0
  return Number((BigInt(sizeInBytes) * 100n) / BigInt(retentionBytes))
}
