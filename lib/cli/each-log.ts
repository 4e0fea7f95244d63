/**
 * One log after the other: one that cannot be read is told of, and hides none
 * of the others.
 */

import { PartitionLogError, type ReadOnlyPartitionLog } from '../index.js'
import type { Context } from './context.js'
import { EXIT } from './failure.js'
import { isLog, logsAt, type ReadFlags, withLog } from './targets.js'

/**
 * Opens each log at `path` for `use`. In a log directory one that fails is
 * handed to `onProblem`, and the exit code is 1 in the end; a log that was
 * named by itself fails with its own code.
 */
export async function forEachLog(
  context: Context,
  path: string,
  flags: ReadFlags,
  use: (logPath: string, log: ReadOnlyPartitionLog) => Promise<void>,
  onProblem: (logPath: string, error: PartitionLogError) => Promise<void> | void,
): Promise<void> {
  if (await isLog(path)) return withLog(path, flags, (log) => use(path, log))
  for (const logPath of await logsAt(path)) {
    try {
      await withLog(logPath, flags, (log) => use(logPath, log))
    } catch (error) {
      if (!(error instanceof PartitionLogError)) throw error
      context.exitCode = EXIT.notSo
      await onProblem(logPath, error)
    }
  }
}
