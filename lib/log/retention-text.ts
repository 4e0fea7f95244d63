/**
 * What an operator reads of retention: the words of Kafka's own log, so that
 * what people search for and alert on is the same.
 */

import type { Deletion, RetentionSegment } from './retention-plan.js'

export function segmentText({
  baseOffset,
  sizeInBytes,
  modifiedMs,
  largestTimestamp,
}: Omit<RetentionSegment, 'nextOffset' | 'isActive'>): string {
  const largest = largestTimestamp >= 0n ? largestTimestamp : 'none'
  return `LogSegment(baseOffset=${baseOffset}, size=${sizeInBytes}, lastModifiedTime=${modifiedMs}, largestRecordTimestamp=${largest})`
}

export function deletionText({ segment, cause }: Deletion): string {
  const what = `Deleting segment ${segmentText(segment)} due to`
  switch (cause.rule) {
    case 'log start offset':
      return `${what} log start offset ${cause.logStartOffset} breach`
    case 'retention.bytes':
      return `${what} log retention size ${cause.retentionBytes} breach. Log size after deletion will be ${cause.logBytesAfter}.`
    case 'retention.ms': {
      const basis =
        cause.basedOn === 'record'
          ? 'the largest record timestamp in the segment'
          : 'the last modified time of the segment'
      return `${what} log retention time ${cause.retentionMs}ms breach based on ${basis}`
    }
  }
}

/** The same for programs. */
export function deletionFields({ segment: { baseOffset, sizeInBytes }, cause }: Deletion) {
  return { event: 'segment-deleted', baseOffset, sizeInBytes, cause }
}

export function futureText(segment: RetentionSegment): string {
  return `${segmentText(segment)} contains future timestamp(s), making it ineligible to be deleted`
}
