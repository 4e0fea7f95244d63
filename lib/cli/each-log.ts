/**
 * One log after the other: one that cannot be read is told of, and hides none
 * of the others.
 */

import { PartitionLogError, type ReadOnlyPartitionLog } from '../index.js'
import type { CommonFlags, Context } from './context.js'
import { describeFailure, exitCodeOf } from './failure.js'
import { logsAt, withLog } from './targets.js'

/** Opens each log at `path` for `use`; the worst failure gives the exit code. */
export async function forEachLog(
  context: Context,
  path: string,
  flags: CommonFlags,
  use: (logPath: string, log: ReadOnlyPartitionLog) => Promise<void>,
): Promise<void> {
  for (const logPath of await logsAt(path)) {
    try {
      await withLog(logPath, flags, (log) => use(logPath, log))
    } catch (error) {
      if (!(error instanceof PartitionLogError)) throw error
      await context.out.flush()
      context.io.stderr.write(describeFailure(error, context.json))
      context.exitCode = Math.max(context.exitCode, exitCodeOf(error))
    }
  }
}
