/**
 * `plog ls`: the logs of a log directory, or the segments of one log.
 */

import type { Command } from 'commander'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { listLogs } from './ls/logs.js'
import { listSegments } from './ls/segments.js'
import { isLog, withLog } from './targets.js'

interface Flags extends CommonFlags {
  readonly all?: boolean
}

export function lsCommand(context: Context): Command {
  return defineCommand('ls', "list the logs of a log directory, or one log's segments")
    .argument('<path>', 'directory of a log, or a log directory')
    .option('--all', 'of a log directory: also directories that are no live log, as what they are')
    .addHelpText('after', examples('plog ls data --all', 'plog ls data/orders-0'))
    .action((path: string, flags: Flags) => list(context, path, flags))
}

async function list(context: Context, path: string, flags: Flags): Promise<void> {
  if (await isLog(path)) await withLog(path, flags, (log) => listSegments(context, log))
  else await listLogs(context, path, flags)
}
