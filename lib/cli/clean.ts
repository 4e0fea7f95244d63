/**
 * `plog clean`: one cleaning of each compacted log, now, whatever its dirty
 * ratio is. Tells what it did, or what stands in the way.
 */

import type { Command } from 'commander'
import { configFromNames } from '../config/log-config.js'
import { type PartitionLog, PartitionLogError } from '../index.js'
import { gatherSetting } from './arguments.js'
import { cleanedText, notCleanedText } from './clean/text.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { describeFailure, exitCodeOf } from './failure.js'
import { toJson } from './json.js'
import { openLogsToChange } from './open-logs.js'
import { ScanProgress } from './scan-progress.js'

interface Flags extends CommonFlags {
  readonly roll?: boolean
  readonly config?: readonly (readonly [name: string, value: string])[]
}

export function cleanCommand(context: Context): Command {
  return defineCommand(
    'clean',
    'clean compacted logs once, now, and tell what was dropped or what is in the way',
  )
    .argument('<path>', 'directory of a log, or a log directory')
    .option('--roll', 'roll the active segment first, so that its records can be cleaned too')
    .option(
      '--config <name=value>',
      "setting, by Kafka's name, of logs that have none of their own; may be repeated",
      gatherSetting,
    )
    .addHelpText('after', examples('plog clean data', 'plog clean data/orders-0 --roll'))
    .action((path: string, flags: Flags) => clean(context, path, flags))
}

async function clean(context: Context, path: string, flags: Flags): Promise<void> {
  const config = flags.config === undefined ? undefined : configFromNames(flags.config)
  const opened = await openLogsToChange(context, path, flags, config, warningsOf(context))
  const progress = new ScanProgress(context)
  try {
    for (const log of opened.logs) await cleanOne(context, log, flags, progress)
  } finally {
    progress.end()
    await opened.close()
  }
}

/** A log that fails keeps none of the others waiting. */
async function cleanOne(
  context: Context,
  log: PartitionLog,
  { roll }: Flags,
  progress: ScanProgress,
): Promise<void> {
  try {
    const compacts = log.explain().cleaning.kind === 'compacts'
    if (compacts && roll === true && (log.segments.at(-1)?.sizeInBytes ?? 0) > 0) log.roll()
    const cleaned = await log.clean({ onProgress: (done, total) => progress.at(log.name, done, total) })
    progress.end()
    const { cleaning } = log.explain()
    if (context.json) await context.out.line(toJson({ log: log.name, cleaned, cleaning }))
    else
      await context.out.line(
        cleaned === null ? notCleanedText(log.name, cleaning) : cleanedText(log.name, cleaned),
      )
  } catch (error) {
    if (!(error instanceof PartitionLogError)) throw error
    context.io.stderr.write(describeFailure(error, context.json))
    context.exitCode = Math.max(context.exitCode, exitCodeOf(error))
  }
}

/** The engine's own lines are for a service's log; here its warnings alone are wanted. */
function warningsOf(context: Context) {
  const tell = (fields: object, message: string) =>
    context.tell(
      context.json
        ? toJson({ warning: { ...('log' in fields ? { log: fields.log } : {}), message } })
        : message,
    )
  const nothing = () => undefined
  return { debug: nothing, info: nothing, warn: tell, error: tell }
}
