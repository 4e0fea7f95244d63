/**
 * Opening all logs of one or more directories: several at a time, and one
 * that cannot be opened keeps none of the others out.
 */

import { join } from 'node:path'
import type { Clock } from '../base/clock.js'
import type { Logger } from '../base/logger.js'
import { PartitionLogError } from '../errors.js'
import { asLogError } from '../log/log-error.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { HostedDirectory } from './hosted-directory.js'
import type { Progress } from './open-options.js'

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
  readonly logger: Logger
  readonly clock: Clock
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
  try {
    await ended([...toLoad].map((entry) => loadDirectory(...entry, options, loaded, problems)))
  } finally {
    await ended(directories.map((directory) => directory.loadingEnded()))
  }
  options.signal?.throwIfAborted()
  return problems
}

async function loadDirectory(
  directory: HostedDirectory,
  names: readonly string[],
  { signal, logger, clock }: LoadOptions,
  loaded: (name: string) => void,
  problems: LogProblem[],
): Promise<void> {
  const left = [...names].reverse()
  let done = 0
  if (names.length > 0) logger.info({ logDir: directory.path }, startText(directory, names.length))
  const work = async () => {
    for (let name = left.pop(); name !== undefined && signal?.aborted !== true; name = left.pop()) {
      try {
        const startedMs = clock.elapsedMs()
        const log = await directory.load(name)
        const ms = Math.round(clock.elapsedMs() - startedMs)
        const text = `${loadedText(log)} in ${ms}ms (${++done}/${names.length} completed in ${directory.path})`
        logger.info({ log: name }, text)
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

function startText({ path, directory: { wasClean } }: HostedDirectory, count: number): string {
  return wasClean
    ? `Skipping recovery of ${count} logs from ${path} since clean shutdown file was found`
    : `Recovering ${count} logs from ${path} since no clean shutdown file was found`
}

/** In a broker's words. */
function loadedText({ path, name, offsets, segmentSizes }: PartitionLog): string {
  const { highWatermark, lastStableOffset, logStartOffset, logEndOffset } = offsets
  const dash = name.lastIndexOf('-')
  const of = `dir=${path}, topic=${name.slice(0, dash)}, partition=${name.slice(dash + 1)}`
  const at = `highWatermark=${highWatermark}, lastStableOffset=${lastStableOffset}, logStartOffset=${logStartOffset}, logEndOffset=${logEndOffset}`
  return `Completed load of Log(${of}, ${at}) with ${segmentSizes.length} segments, local-log-start-offset ${logStartOffset} and log-end-offset ${logEndOffset}`
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
