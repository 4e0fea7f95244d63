/**
 * What lies in a log directory, by name alone. Pure. Everything that is not
 * one of Kafka's kinds is somebody else's and left alone.
 */

import type { DirectoryEntry } from '../backend/contract.js'
import { parseMarkedName, parsePartitionName } from './partition-name.js'

export interface DirectoryListing {
  /** Live logs, `topic-partition`, sorted. */
  readonly logs: readonly string[]
  /** Directories of deleted logs, whose removal is to be finished. */
  readonly deleted: readonly string[]
  /** Logs being moved in, and logs that a broker disowned: left alone. */
  readonly setAside: readonly string[]
  /** Directories that no log can have: left alone. */
  readonly foreign: readonly string[]
}

export function classify(entries: readonly DirectoryEntry[]): DirectoryListing {
  const listing = {
    logs: [] as string[],
    deleted: [] as string[],
    setAside: [] as string[],
    foreign: [] as string[],
  }
  for (const { name, isDirectory } of entries) {
    if (!isDirectory) continue
    const mark = parseMarkedName(name)
    if (mark === 'delete') listing.deleted.push(name)
    else if (mark !== undefined) listing.setAside.push(name)
    else if (parsePartitionName(name) !== undefined) listing.logs.push(name)
    else listing.foreign.push(name)
  }
  for (const names of Object.values(listing)) names.sort()
  return listing
}
