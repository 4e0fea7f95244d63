/**
 * `plog retain`: one retention check now, or one after the other until it is
 * interrupted. Prints what the engine tells of it, line by line, as it happens.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { configFromNames } from '../config/log-config.js'
import { gatherSetting, parseCount } from './arguments.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { openLogsToChange } from './open-logs.js'
import { Checks } from './retain/checks.js'
import { retentionLogger } from './retain/logger.js'

interface Flags extends CommonFlags {
  readonly every?: number
  readonly config?: readonly (readonly [name: string, value: string])[]
}

const LONGEST_TIMEOUT_MS = 2_147_483_647

export function retainCommand(context: Context): Command {
  return defineCommand('retain', 'make a retention check now, and tell what it deletes and why')
    .argument('<path>', 'directory of a log, or a log directory')
    .option(
      '--every <ms>',
      'go on until interrupted, so long from one check to the next',
      parseCount(1, LONGEST_TIMEOUT_MS),
    )
    .option(
      '--config <name=value>',
      "setting, by Kafka's name, of logs that have none of their own; may be repeated",
      gatherSetting,
    )
    .addHelpText('after', examples('plog retain data', 'plog retain data/orders-0 --every 60000'))
    .action((path: string, flags: Flags) => retain(context, path, flags))
}

async function retain(context: Context, path: string, flags: Flags): Promise<void> {
  const interrupt = new AbortController()
  const forget = context.io.onInterrupt(() => interrupt.abort())
  try {
    const config = flags.config === undefined ? undefined : configFromNames(flags.config)
    const opened = await openLogsToChange(context, path, flags, config, retentionLogger(context))
    const checks = new Checks(context, opened.logs)
    try {
      await run(checks, flags.every, interrupt.signal)
    } finally {
      await opened.close()
    }
    await checks.tellSummary()
  } finally {
    forget()
  }
}

/** Without `everyMs` one check; with it, to interrupt is how it ends. */
async function run(checks: Checks, everyMs: number | undefined, signal: AbortSignal): Promise<void> {
  for (;;) {
    const startedMs = Date.now()
    await checks.checkAll()
    if (everyMs === undefined || signal.aborted || checks.areOver) return
    const leftMs = Math.max(1, startedMs + everyMs - Date.now())
    await sleep(leftMs, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (signal.aborted) return
  }
}
