/**
 * What a PATH on the command line is: one log, or a log directory with many.
 */

import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { nodeFiles } from '../backend/files.js'
import { isErrno, toIoError } from '../backend/node-error.js'
import { LOG_PROPERTIES_FILE } from '../checkpoint/log-properties.js'
import type { LogConfigInput } from '../config/log-config.js'
import { PartitionLogError } from '../errors.js'
import { type OpenLogOptions, openLog, type PartitionLog, type ReadOnlyPartitionLog } from '../index.js'
import { hasSegments } from '../manager/has-segments.js'
import { byTopicAndPartition, parsePartitionName, type TopicPartition } from '../manager/partition-name.js'
import { type CommonFlags, readOnlyOptions } from './context.js'

/** Whether `path` is one log; false for a directory above logs. `ERR_NOT_A_LOG` for what is no directory. */
export async function isLog(path: string): Promise<boolean> {
  await assertDirectory(path)
  const directory = resolve(path)
  return parsePartitionName(basename(directory)) !== undefined || (await hasSegments(nodeFiles, directory))
}

/**
 * Whether `path` holds segments under a name that is not `topic-partition`: then
 * its checkpoints, if any, lie inside of it. False where there is nothing yet;
 * `ERR_NOT_A_LOG` for a file.
 */
export async function isStandalone(path: string): Promise<boolean> {
  if (!(await isDirectory(path))) return false
  const directory = resolve(path)
  return parsePartitionName(basename(directory)) === undefined && (await hasSegments(nodeFiles, directory))
}

/** The logs that `path` names, as paths: itself, or those in it, by topic and partition. `ERR_NOT_A_LOG` for none. */
export async function logsAt(path: string): Promise<string[]> {
  if (await isLog(path)) return [path]
  const found = await logsIn(path)
  if (found.length > 0) return found
  throw new PartitionLogError(
    'ERR_NOT_A_LOG',
    `${path} is no log, and holds none: a log is a directory with segment files, named topic-partition`,
    { path },
  )
}

/** Whether any log lies in the log directory `path`. */
export async function holdsLogs(path: string): Promise<boolean> {
  return (await logsIn(path)).length > 0
}

async function logsIn(path: string): Promise<string[]> {
  const found: string[] = []
  for (const { name, isDirectory } of await nodeFiles.list(path)) {
    const isNamed = isDirectory && parsePartitionName(name) !== undefined
    if (isNamed && (await hasSegments(nodeFiles, join(path, name)))) found.push(name)
  }
  return found.sort(byTopicAndPartition).map((name) => join(path, name))
}

/** Flags of commands that only look. */
export interface ReadFlags extends CommonFlags {
  /** Settings of a log that has none of its own. */
  readonly defaults?: LogConfigInput
}

/** The log in `path`, to be read: beside a live writer too, and after a stop that was not clean. */
export async function openToRead(path: string, flags: ReadFlags): Promise<ReadOnlyPartitionLog> {
  await assertDirectory(path)
  return openLog(path, {
    ...readOnlyOptions(flags),
    ...(await settingsFor(path, flags.defaults)),
    standalone: await isStandalone(path),
  })
}

/** `defaults` as an option for a log that somebody else made; the others have their own. */
export async function settingsFor(
  path: string,
  defaults: LogConfigInput | undefined,
): Promise<{ readonly config?: LogConfigInput }> {
  return defaults === undefined || (await hasOwnSettings(path)) ? {} : { config: defaults }
}

/** Whether this package made the log in `path`. */
export function hasOwnSettings(path: string): Promise<boolean> {
  return nodeFiles.exists(join(path, LOG_PROPERTIES_FILE))
}

/** The log in `path`, which must be there, to be changed: takes its directory's lock. */
export async function openToChange(
  path: string,
  { backend }: CommonFlags,
  options: OpenLogOptions = {},
): Promise<PartitionLog> {
  await assertDirectory(path)
  return openLog(path, {
    create: false,
    standalone: await isStandalone(path),
    ...(backend === undefined ? {} : { backend }),
    ...options,
  })
}

/** Opens the log in `path`, hands it to `use` and closes it whatever happens. */
export async function withLog<T>(
  path: string,
  flags: ReadFlags,
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

/** The name that a log's directory has. */
export function nameOfLog(path: string): string {
  return basename(resolve(path))
}

/** `ERR_NOT_A_LOG` unless `path` is a directory. */
export async function assertDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return
  throw new PartitionLogError('ERR_NOT_A_LOG', `${path} does not exist`, { path })
}

/** False where there is nothing; `ERR_NOT_A_LOG` where `path` is a file, or leads through one. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false
    if (!isErrno(error, 'ENOTDIR')) throw toIoError(error, path)
  }
  const message = `${path} is a file, or lies below one: a log is a directory with segment files`
  throw new PartitionLogError('ERR_NOT_A_LOG', message, { path })
}
