/**
 * What an explanation says of cleaning: how far it is, what is in the way,
 * and when it goes on.
 */

import type { CleaningExplanation, CleaningLimit, CompactionExplanation } from '../../index.js'
import { moment, span } from './words.js'

export function cleaningLines(cleaning: CleaningExplanation, nowMs: number): string[] {
  switch (cleaning.kind) {
    case 'off':
      return ['cleaning: none, cleanup.policy has no compact']
    case 'not known':
      return ['cleaning: not known, as the settings are not']
    case 'compacts':
      return ['cleaning:', ...details(cleaning, nowMs).map((line) => `  ${line}`)]
  }
}

function details(cleaning: CompactionExplanation, nowMs: number): string[] {
  const { firstDirtyOffset, firstUncleanableOffset, cleanBytes, cleanableBytes, dirtyBytes } = cleaning
  return [
    `clean below offset ${firstDirtyOffset}, ${cleanBytes} bytes; dirty behind it, ${dirtyBytes} bytes, of which ${cleanableBytes} can be cleaned, up to offset ${firstUncleanableOffset}`,
    `dirty ratio ${ratio(cleaning.dirtyRatio)}, min.cleanable.dirty.ratio=${cleaning.minCleanableDirtyRatio}: ${dueText(cleaning)}`,
    ...cleaning.limits.map(
      (limit, n) => `${n === 0 ? 'ends' : 'would end'} at offset ${limit.offset}: ${limitText(limit, nowMs)}`,
    ),
    ...setAsideLines(cleaning, nowMs),
    ...runningLines(cleaning, nowMs),
    `cleaner: ${cleanerText(cleaning, nowMs)}`,
  ]
}

function ratio(value: number): string {
  return value.toFixed(3)
}

function dueText({ isDue, isOverdue, cleanableBytes, setAside }: CompactionExplanation): string {
  if (isDue && setAside !== null) return 'due, but set aside'
  if (isDue) return isOverdue ? 'due, as max.compaction.lag.ms has passed' : 'due'
  return cleanableBytes === 0 ? 'not due, nothing can be cleaned' : 'not due, not dirty enough'
}

/** What ends the section that can be cleaned. */
export function limitText(limit: CleaningLimit, nowMs?: number): string {
  switch (limit.kind) {
    case 'active segment':
      return 'the active segment, which is cleaned once it has rolled'
    case 'last stable offset':
      return 'the last stable offset: a transaction is open behind it, or it is the high watermark'
    case 'min.compaction.lag.ms':
      return Number.isFinite(limit.untilMs)
        ? `min.compaction.lag.ms, until ${moment(limit.untilMs, nowMs)}`
        : 'min.compaction.lag.ms, which has no end'
  }
}

function setAsideLines({ setAside }: CompactionExplanation, nowMs: number): string[] {
  if (setAside === null) return []
  const { message, failures, retryMs } = setAside
  return [
    `set aside after ${failures} ${failures === 1 ? 'failure' : 'failures'}, tried again ${moment(retryMs, nowMs)}: ${message}`,
  ]
}

function runningLines({ running }: CompactionExplanation, nowMs: number): string[] {
  if (running === null) return []
  const { startedMs, doneBytes, totalBytes } = running
  return [`running for ${span(Math.max(0, nowMs - startedMs))}: ${doneBytes} of ${totalBytes} bytes read`]
}

function cleanerText({ cleaner }: CompactionExplanation, nowMs: number): string {
  switch (cleaner.kind) {
    case 'elsewhere':
      return 'of a process that has the log open to write; or plog clean'
    case 'never':
      return 'none, log.cleaner.enable is false; plog clean cleans once'
    case 'scheduled':
      return `looks ${cleaner.nextMs === null ? 'now' : moment(cleaner.nextMs, nowMs)}, then every ${span(cleaner.intervalMs)}`
  }
}
