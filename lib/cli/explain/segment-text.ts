/**
 * One segment of an explanation: what becomes of it, then each reason, then
 * the check that takes it and when its files are removed.
 */

import type { Hold, LogExplanation, SegmentExplanation } from '../../index.js'
import { moment, settingText, span } from './words.js'

type Cause = NonNullable<SegmentExplanation['goes']>

export function segmentLines(segment: SegmentExplanation, explained: LogExplanation): string[] {
  const { baseOffset, nextOffset, active, sizeInBytes, goes } = segment
  const name = nextOffset > baseOffset ? `${baseOffset} to ${nextOffset - 1n}` : `${baseOffset}`
  const fate = goes === null ? 'stays' : 'goes at the next check'
  const head = `segment ${name}${active ? ', active' : ''}, ${sizeInBytes} bytes: ${fate}`
  return [head, ...reasonLines(segment, explained).map((line) => `  ${line}`)]
}

function reasonLines(segment: SegmentExplanation, explained: LogExplanation): string[] {
  const { nowMs, settings } = explained
  const isDue = segment.goes !== null && segment.stays.length === 0
  return [
    ...(isDue ? [causeText(segment.goes, segment, nowMs)] : []),
    ...segment.stays
      .filter((hold) => isTelling(hold, explained))
      .map((hold) => holdText(hold, segment, nowMs)),
    ...thenText(segment, nowMs, settings.fileDeleteDelayMs),
  ]
}

/** What goes without saying of every segment: told once, or nothing lies below the log start offset. */
function isTelling({ rule }: Hold, { segments, logStartOffset }: LogExplanation): boolean {
  if (rule === 'foreign log') return false
  return rule !== 'log start offset' || logStartOffset > (segments[0]?.baseOffset ?? 0n)
}

function causeText(cause: Cause, { expiresMs }: SegmentExplanation, nowMs: number): string {
  switch (cause.rule) {
    case 'log start offset':
      return `log start offset ${cause.logStartOffset}: all of it lies below`
    case 'retention.bytes':
      return `${settingText(cause.rule, cause.retentionBytes)}: without it and those before it the log has ${cause.logBytesAfter} bytes`
    case 'retention.ms': {
      const what = cause.basedOn === 'record' ? 'its newest record' : 'its file (no record has a timestamp)'
      const since = expiresMs === null ? '' : ` since ${moment(expiresMs, nowMs)}`
      return `${settingText(cause.rule, cause.retentionMs)}: ${what} is older than that${since}`
    }
  }
}

function holdText(hold: Hold, { nextOffset, modifiedMs }: SegmentExplanation, nowMs: number): string {
  switch (hold.rule) {
    case 'foreign log':
      return 'this package did not make the log'
    case 'high watermark':
      return `high watermark ${hold.highWatermark}: nothing above it goes, and this reaches ${nextOffset}`
    case 'active and empty':
      return 'active and empty: there is nothing to delete'
    case 'oldest first':
      return `oldest first: the segment at ${hold.baseOffset} stays longer`
    case 'log start offset':
      return `log start offset ${hold.logStartOffset}: ${hold.isActive ? 'never takes the active segment' : 'it has records from there on'}`
    case 'retention.bytes':
      return `${settingText(hold.rule, hold.retentionBytes)}: without it the log would be ${Number.isFinite(hold.missingBytes) ? `${hold.missingBytes} bytes` : 'far'} short of that`
    case 'retention.ms':
      return `${settingText(hold.rule, hold.retentionMs)}: ${ageText(hold, modifiedMs)}, ${untilText(hold.untilMs, nowMs)}`
  }
}

function ageText({ ageMs, basedOn }: Extract<Hold, { rule: 'retention.ms' }>, modifiedMs: number): string {
  if (basedOn === 'file')
    return `no record has a timestamp, its file was last written ${moment(modifiedMs, modifiedMs + ageMs)}`
  return ageMs < 0
    ? `its newest record is from the future, by ${span(-ageMs)}`
    : `its newest record is ${span(ageMs)} old`
}

function untilText(untilMs: number, nowMs: number): string {
  return Number.isFinite(untilMs) ? `until ${moment(untilMs, nowMs)}` : 'for good'
}

/** The other two of the three delays. */
function thenText(
  { dueMs, checkMs, filesRemovedMs, goes }: SegmentExplanation,
  nowMs: number,
  delayMs: number,
): string[] {
  if (dueMs === null) return []
  if (checkMs === null) {
    const check = goes === null ? `goes at the first check after ${moment(dueMs - 1, nowMs)}; its` : 'its'
    return [`${check} files are removed ${span(delayMs)} after that check`]
  }
  const removed = filesRemovedMs === null ? 'never removed' : `removed at ${moment(filesRemovedMs, nowMs)}`
  return [`goes at the check of ${moment(checkMs, nowMs)}; its files are ${removed}`]
}
