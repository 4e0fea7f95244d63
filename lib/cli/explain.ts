/**
 * `plog explain`: why nothing has rolled or been deleted yet, segment by
 * segment, and when it will. Only reads, so it works beside a writer; when that
 * one makes its checks is then not known.
 */

import type { Command } from 'commander'
import { configFromNames } from '../config/log-config.js'
import type { LogExplanation, ReadOnlyPartitionLog } from '../index.js'
import { gatherSetting, parseTime } from './arguments.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { forEachLog } from './each-log.js'
import { explanationText } from './explain/text.js'
import { waitingFiles } from './explain/waiting-files.js'
import { fieldsOf } from './failure.js'
import { toJson } from './json.js'
import { nameOfLog } from './targets.js'

interface Flags extends CommonFlags {
  readonly now?: bigint
  readonly config?: readonly (readonly [name: string, value: string])[]
}

export function explainCommand(context: Context): Command {
  return defineCommand('explain', 'tell why nothing has rolled or been deleted yet, and when it will')
    .argument('<path>', 'directory of a log, or a log directory')
    .option('--now <time>', 'ask for another time than now: ms or an ISO date', parseTime)
    .option(
      '--config <name=value>',
      "setting, by Kafka's name, of logs that have none of their own; may be repeated",
      gatherSetting,
    )
    .addHelpText('after', examples('plog explain data/orders-0', 'plog explain data --json'))
    .action((path: string, flags: Flags) => explain(context, path, flags))
}

async function explain(context: Context, path: string, flags: Flags): Promise<void> {
  const options = flags.now === undefined ? {} : { nowMs: Number(flags.now) }
  const defaults = flags.config === undefined ? {} : { defaults: configFromNames(flags.config) }
  let isFirst = true
  const print = async (text: string) => {
    if (!isFirst) await context.out.line('')
    isFirst = false
    await context.out.line(text)
  }
  const tell = async (logPath: string, log: ReadOnlyPartitionLog) => {
    const found = { log: nameOfLog(logPath), waiting: await waitingFiles(logPath) }
    const explained: LogExplanation = { ...log.explain(options), ...found }
    if (context.json) await context.out.line(toJson(explained))
    else await print(explanationText(explained))
  }
  await forEachLog(context, path, { ...flags, ...defaults }, tell, async (logPath, error) => {
    const name = nameOfLog(logPath)
    if (context.json) await context.out.line(toJson({ log: name, error: fieldsOf(error) }))
    else await print(`${name}: ${error.code}: ${error.message}`)
  })
}
