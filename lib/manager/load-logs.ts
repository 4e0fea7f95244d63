/**
 * Opening all logs of one or more directories: several at a time, and one
 * that cannot be opened keeps none of the others out.
 */

import { join } from 'node:path'
import { PartitionLogError } from '../errors.js'
import { asLogError } from '../log/log-error.js'
import type { HostedDirectory } from './hosted-directory.js'
import type { Progress } from './manager-options.js'

/** A log or directory that was found and is not open, and why. */
export interface LogProblem {
  /** The log's name; undefined where a whole directory is meant. */
  readonly log: string | undefined
  /** Where it lies: more than one path for a log found more than once. */
  readonly paths: readonly string[]
  readonly error: PartitionLogError
}

/** Logs of one directory opened at once: their reads queue on its one thread anyway. */
const AT_ONCE = 16

export interface LoadOptions {
  readonly onProgress: ((progress: Progress) => void) | undefined
  readonly signal: AbortSignal | undefined
  /** Names of foreign directories, which are skipped. */
  readonly onForeign: (directory: HostedDirectory, names: readonly string[]) => void
}

/**
 * What could not be opened. Throws the signal's reason where that was aborted, and what `onProgress` threw; nothing is
 * being opened any more then. Logs that were not come to are as they were.
 */
export async function loadLogs(
  directories: readonly HostedDirectory[],
  options: LoadOptions,
): Promise<LogProblem[]> {
  const found = new Map<string, HostedDirectory[]>()
  for (const directory of directories) {
    const { logs, deleted, foreign } = directory.found
    directory.finishDeletions(deleted)
    if (foreign.length > 0) options.onForeign(directory, foreign)
    for (const name of logs) found.set(name, [...(found.get(name) ?? []), directory])
  }
  const problems: LogProblem[] = []
  const toLoad = new Map<HostedDirectory, string[]>(directories.map((directory) => [directory, []]))
  for (const [name, holders] of found) {
    if (holders.length === 1) toLoad.get(holders[0] as HostedDirectory)?.push(name)
    else problems.push(foundTwice(name, holders))
  }
  const total = [...toLoad.values()].reduce((sum, names) => sum + names.length, 0)
  let done = 0
  const loaded = (log: string) => options.onProgress?.({ phase: 'load', log, done: ++done, total })
  await ended([...toLoad].map((entry) => loadDirectory(...entry, options.signal, loaded, problems)))
  options.signal?.throwIfAborted()
  return problems
}

async function loadDirectory(
  directory: HostedDirectory,
  names: readonly string[],
  signal: AbortSignal | undefined,
  loaded: (name: string) => void,
  problems: LogProblem[],
): Promise<void> {
  const left = [...names].reverse()
  const work = async () => {
    for (let name = left.pop(); name !== undefined && signal?.aborted !== true; name = left.pop()) {
      try {
        await directory.load(name)
      } catch (error) {
        directory.leftOut(name)
        problems.push({ log: name, paths: [join(directory.path, name)], error: asLogError(error) })
      }
      loaded(name)
    }
  }
  const working = Array.from({ length: AT_ONCE }, () =>
    work().catch((error) => {
      left.length = 0
      throw error
    }),
  )
  await ended(working)
}

/** Waits until all has ended, then throws the first failure. */
async function ended(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

function foundTwice(name: string, holders: readonly HostedDirectory[]): LogProblem {
  const paths = holders.map(({ path }) => join(path, name))
  const message = `${name} lies in more than one log directory: ${paths.join(', ')}; move all but one of them away`
  return {
    log: name,
    paths,
    error: new PartitionLogError('ERR_DUPLICATE_LOG', message, { path: paths[0] as string }),
  }
}
