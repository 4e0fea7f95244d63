/**
 * An explanation in words: a paragraph a log, a few lines a segment.
 */

import type { LogExplanation, NextCheck, RollExplanation, WaitingSegments } from '../../index.js'
import { cleaningLines } from './cleaning-text.js'
import { segmentLines } from './segment-text.js'
import { moment, settingText, span } from './words.js'

export function explanationText(explained: LogExplanation): string {
  const { log, segments, sizeInBytes, logStartOffset, logEndOffset, nowMs } = explained
  const count = `${segments.length} ${segments.length === 1 ? 'segment' : 'segments'}`
  const lines = [
    `settings: ${settingsText(explained)}`,
    `next check: ${checkText(explained.nextCheck, nowMs)}`,
    ...offText(explained),
    ...segments.flatMap((segment) => segmentLines(segment, explained)),
    ...explained.waiting.map((waiting) => waitingText(waiting, nowMs)),
    ...rollText(explained.roll, nowMs),
    ...cleaningLines(explained.cleaning, nowMs),
  ]
  const head = `${log}: ${count}, ${sizeInBytes} bytes, offsets ${logStartOffset} to ${logEndOffset}, at ${moment(nowMs)}`
  return [head, ...lines.map((line) => `  ${line}`)].join('\n')
}

function settingsText({ settings }: LogExplanation): string {
  const { cleanupPolicy, retentionBytes, retentionMs, fileDeleteDelayMs } = settings
  if (cleanupPolicy === null)
    return "not known, as this package did not make the log: nothing is taken from it unless settings of deletion are given, and Kafka's defaults are assumed for the rest"
  return [
    settingText('cleanup.policy', cleanupPolicy.join(',')),
    settingText('retention.bytes', retentionBytes),
    settingText('retention.ms', retentionMs),
    settingText('file.delete.delay.ms', fileDeleteDelayMs),
  ].join(' ')
}

function checkText(check: NextCheck, nowMs: number): string {
  switch (check.kind) {
    case 'elsewhere':
      return 'by a process that has the log open to write, every 5 minutes unless set otherwise; or by plog retain'
    case 'never':
      return check.because === 'cleaner off'
        ? "none: with compact in cleanup.policy deletions are the cleaner's, and log.cleaner.enable is false; plog retain makes one"
        : 'none, by log.retention.check.interval.ms; plog retain makes one'
    case 'scheduled': {
      const next = check.nextMs === null ? 'running' : moment(check.nextMs, nowMs)
      return `${next}, then ${check.intervalMs > 0 ? `every ${span(check.intervalMs)}` : 'no other'}`
    }
  }
}

function offText({ rulesOff }: LogExplanation): string[] {
  if (rulesOff.length === 0) return []
  return [`off: ${rulesOff.map(({ rule, because }) => `${rule} (${because})`).join(', ')}`]
}

function waitingText({ baseOffsets, sizeInBytes, untilMs }: WaitingSegments, nowMs: number): string {
  const when =
    untilMs === null
      ? 'file.delete.delay.ms after that, or by the next start'
      : `at ${moment(untilMs, nowMs)}`
  return `deleted: segment ${baseOffsets.join(', ')}, ${sizeInBytes} bytes, renamed to .deleted; its files are removed ${when}`
}

function rollText(roll: RollExplanation, nowMs: number): string[] {
  const { baseOffset, bytesLeft, segmentBytes, offsetIndexEntriesLeft, timeIndexEntriesLeft } = roll
  const next =
    roll.nextAppend === 'none' ? 'not by an append of now' : `by the next append (${roll.nextAppend})`
  return [
    `next roll of segment ${baseOffset}: ${next}; nothing rolls while nobody appends`,
    `  size: ${bytesLeft} bytes left of ${segmentBytes}`,
    `  time: ${timeText(roll.time, nowMs)}`,
    `  indexes: ${offsetIndexEntriesLeft} entries left in the offset index, ${timeIndexEntriesLeft} in the time index`,
  ]
}

function timeText(time: RollExplanation['time'], nowMs: number): string {
  if (time === null) return 'no limit: the segment is empty, or segment.ms has no end'
  const jitter = time.jitterMs === null ? ', or up to segment.jitter.ms earlier' : ''
  const what = time.countedBy === 'records' ? 'an append with a timestamp' : 'an append'
  const why = time.countedBy === 'records' ? '' : '; the first batch has no timestamp'
  return `${what} later than ${moment(time.untilMs, nowMs)}${jitter} rolls${why}`
}
