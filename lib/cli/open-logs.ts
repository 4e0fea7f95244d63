/**
 * The logs that a PATH names, opened to be changed: one by itself, or all of a
 * log directory by a manager. What cannot be opened is told of and keeps none
 * of the others waiting.
 */

import type { LogConfigInput } from '../config/log-config.js'
import { type Logger, openLogManager, type PartitionLog } from '../index.js'
import type { CommonFlags, Context } from './context.js'
import { EXIT } from './failure.js'
import { isLog, logsAt, openToChange, settingsFor } from './targets.js'

export interface OpenedLogs {
  readonly logs: readonly PartitionLog[]
  close(): Promise<void>
}

/** Whoever opens them here does what is to be done; nothing is deleted or cleaned behind its back. */
const NO_CHECKS = { manager: { retentionCheckIntervalMs: Number.POSITIVE_INFINITY, cleanerEnable: false } }

/** `config`: settings of logs that have none of their own. */
export async function openLogsToChange(
  context: Context,
  path: string,
  flags: CommonFlags,
  config: LogConfigInput | undefined,
  logger: Logger,
): Promise<OpenedLogs> {
  if (await isLog(path)) {
    const own = await settingsFor(path, config)
    const log = await openToChange(path, flags, { ...NO_CHECKS, ...own, logger })
    return told(context, [log], () => log.close())
  }
  // Refuses a directory that holds none: a manager would make one of it.
  await logsAt(path)
  const { backend } = flags
  const manager = await openLogManager({
    logDirs: [path],
    logger,
    ...NO_CHECKS,
    ...(config === undefined ? {} : { config }),
    ...(backend === undefined ? {} : { backend }),
  })
  if (manager.problems.length > 0) context.exitCode = EXIT.notSo
  return told(context, manager.logs(), () => manager.close())
}

/** Logs of which nothing is taken are named, so that nobody waits for it. */
function told(context: Context, logs: readonly PartitionLog[], close: () => Promise<void>): OpenedLogs {
  for (const log of logs) {
    if (log.explain().settings.cleanupPolicy !== null) continue
    const message = `${log.name} was not made by this package, and no settings of deletion were given (--config): nothing is taken from it`
    context.tell(context.json ? JSON.stringify({ warning: { log: log.name, message } }) : message)
  }
  return { logs, close }
}
