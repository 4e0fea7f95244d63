/**
 * `manager.stats()`: the sums over all logs, and each log directory. Plain
 * objects as those of `log.stats()`. Counters never fall: logs that were
 * closed or deleted meanwhile stay in them.
 */

import { PartitionLog } from '../log/partition-log.js'
import { type ActivityStats, activityOf, type LogStats, statsOf } from '../log/stats.js'
import { LogCounters } from '../log/stats-counters.js'
import type { HostedDirectory } from './hosted-directory.js'
import type { LogProblem } from './load-logs.js'
import type { RoomStats } from './room-limits.js'

/** What logs have now, summed up. */
interface Holdings extends Pick<LogStats, 'numLogSegments' | 'openSegments' | 'sizeInBytes'> {
  /** Open logs, those that are offline included. */
  readonly logs: number
  readonly offlineLogs: number
  /** Compacted logs that are set aside after a failed cleaning; Kafka's uncleanable-partitions-count. */
  readonly uncleanableLogs: number
  /** Bytes of record batches of deleted segments and logs whose files are not removed yet. */
  readonly bytesPendingDeletion: number
}

export interface DirectoryStats extends Holdings, RoomStats {
  readonly path: string
  readonly isOffline: boolean
}

export interface ManagerStats extends ActivityStats, Holdings {
  /** Directories that could not be opened, or failed since. */
  readonly offlineLogDirectoryCount: number
  /** Those that could be opened. */
  readonly directories: readonly DirectoryStats[]
}

export function managerStats(
  hosted: readonly HostedDirectory[],
  problems: readonly LogProblem[],
): ManagerStats {
  const counters = new LogCounters()
  for (const { past, logs } of hosted) {
    counters.add(past)
    for (const log of logs.values()) counters.add(PartitionLog.coreOf(log).counters)
  }
  const directories = hosted.map(directoryStats)
  const offline = directories.filter(({ isOffline }) => isOffline).length
  return {
    ...activityOf(counters),
    ...directories.reduce<Holdings>(sumOf, NOTHING),
    offlineLogDirectoryCount: offline + problems.filter(({ log }) => log === undefined).length,
    directories,
  }
}

function directoryStats(hosted: HostedDirectory): DirectoryStats {
  const holdings = [...hosted.logs.values()].map(holdingsOf).reduce<Holdings>(sumOf, NOTHING)
  return {
    path: hosted.path,
    isOffline: hosted.offlineCause !== undefined,
    ...holdings,
    bytesPendingDeletion: holdings.bytesPendingDeletion + hosted.deletedLogsBytes,
    ...hosted.room.stats(),
  }
}

function holdingsOf(log: PartitionLog): Holdings {
  const { numLogSegments, openSegments, sizeInBytes, bytesPendingDeletion, cleaning } = statsOf(
    PartitionLog.coreOf(log),
  )
  const uncleanableLogs = (cleaning?.setAside ?? null) === null ? 0 : 1
  const offlineLogs = log.state === 'offline' ? 1 : 0
  return {
    logs: 1,
    offlineLogs,
    uncleanableLogs,
    numLogSegments,
    openSegments,
    sizeInBytes,
    bytesPendingDeletion,
  }
}

const NOTHING: Holdings = {
  logs: 0,
  offlineLogs: 0,
  uncleanableLogs: 0,
  numLogSegments: 0,
  openSegments: 0,
  sizeInBytes: 0,
  bytesPendingDeletion: 0,
}

function sumOf(a: Holdings, b: Holdings): Holdings {
  return {
    logs: a.logs + b.logs,
    offlineLogs: a.offlineLogs + b.offlineLogs,
    uncleanableLogs: a.uncleanableLogs + b.uncleanableLogs,
    numLogSegments: a.numLogSegments + b.numLogSegments,
    openSegments: a.openSegments + b.openSegments,
    sizeInBytes: a.sizeInBytes + b.sizeInBytes,
    bytesPendingDeletion: a.bytesPendingDeletion + b.bytesPendingDeletion,
  }
}
