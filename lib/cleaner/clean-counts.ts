/** The counts of one cleaning while it runs. */

import type { CleanCounts } from './clean-job.js'

export type RunningCounts = { -readonly [Name in keyof CleanCounts]: CleanCounts[Name] }

export function noCounts(): RunningCounts {
  return {
    mapBytesRead: 0,
    mapRecordsRead: 0,
    bytesRead: 0,
    recordsRead: 0,
    recordsWithoutKey: 0,
    bytesWritten: 0,
    recordsWritten: 0,
    keys: 0,
    slots: 0,
    mapMs: 0,
    totalMs: 0,
  }
}
