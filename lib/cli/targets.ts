/**
 * What a PATH on the command line is: one log, or a log directory with many.
 */

import { basename, join, resolve } from 'node:path'
import { nodeFiles } from '../backend/files.js'
import { PartitionLogError } from '../errors.js'
import { openLog, type ReadOnlyPartitionLog } from '../index.js'
import { hasSegments } from '../manager/has-segments.js'
import { parsePartitionName, type TopicPartition } from '../manager/partition-name.js'
import { type CommonFlags, readOnlyOptions } from './context.js'

/** Whether `path` is one log; false for a directory above logs. */
export async function isLog(path: string): Promise<boolean> {
  const directory = resolve(path)
  return parsePartitionName(basename(directory)) !== undefined || (await hasSegments(nodeFiles, directory))
}

/**
 * Whether `path` holds segments under a name that is not `topic-partition`: then
 * its checkpoints, if any, lie inside of it.
 */
export async function isStandalone(path: string): Promise<boolean> {
  const directory = resolve(path)
  return parsePartitionName(basename(directory)) === undefined && (await hasSegments(nodeFiles, directory))
}

/** The logs that `path` names, as paths: itself, or those in it, by topic and partition. `ERR_NOT_A_LOG` for none. */
export async function logsAt(path: string): Promise<string[]> {
  if (await isLog(path)) return [path]
  const found: { path: string; name: TopicPartition }[] = []
  await assertThere(path)
  for (const entry of await nodeFiles.list(path)) {
    const name = entry.isDirectory ? parsePartitionName(entry.name) : undefined
    if (name !== undefined && (await hasSegments(nodeFiles, join(path, entry.name))))
      found.push({ path: join(path, entry.name), name })
  }
  if (found.length > 0) return found.sort(byName).map((log) => log.path)
  throw new PartitionLogError(
    'ERR_NOT_A_LOG',
    `${path} is no log, and holds none: a log is a directory with segment files, named topic-partition`,
    { path },
  )
}

/** The log in `path`, to be read: beside a live writer too, and after a stop that was not clean. */
export async function openToRead(path: string, flags: CommonFlags): Promise<ReadOnlyPartitionLog> {
  await assertThere(path)
  return openLog(path, { ...readOnlyOptions(flags), standalone: await isStandalone(path) })
}

/** Opens the log in `path`, hands it to `use` and closes it whatever happens. */
export async function withLog<T>(
  path: string,
  flags: CommonFlags,
  use: (log: ReadOnlyPartitionLog) => Promise<T>,
): Promise<T> {
  const log = await openToRead(path, flags)
  try {
    return await use(log)
  } finally {
    await log.close()
  }
}

/** Topic and partition of a log's directory; the partition of a name that has none is 0. */
export function topicPartitionOf(path: string): TopicPartition {
  const name = basename(resolve(path))
  return parsePartitionName(name) ?? { topic: name, partition: 0 }
}

async function assertThere(path: string): Promise<void> {
  if (await nodeFiles.exists(path)) return
  throw new PartitionLogError('ERR_NOT_A_LOG', `${path} does not exist`, { path })
}

function byName(a: { name: TopicPartition }, b: { name: TopicPartition }): number {
  if (a.name.topic !== b.name.topic) return a.name.topic < b.name.topic ? -1 : 1
  return a.name.partition - b.name.partition
}
