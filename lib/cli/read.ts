/**
 * `plog read`: records on stdout, by a format or as JSON lines. Opens the log
 * read-only, so it works beside a writer.
 */

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Isolation, LogRecord, ReadOptions } from '../index.js'
import { parseCount, parseInt64, parseTime } from './arguments.js'
import { type CommonFlags, type Context, defineCommand } from './context.js'
import { EXIT } from './failure.js'
import { followRecords } from './follow.js'
import { toJson } from './json.js'
import { parseFormat, type RecordFormat } from './record-format.js'
import { topicPartitionOf, withLog } from './targets.js'

interface Flags extends CommonFlags {
  readonly from?: bigint | 'earliest' | 'latest'
  readonly fromTime?: bigint
  readonly maxRecords?: number
  readonly follow?: boolean
  readonly isolation?: Isolation
  readonly format: RecordFormat
}

export function readCommand(context: Context): Command {
  return defineCommand('read', 'print records, by default the value of each on a line')
    .argument('<path>', 'directory of the log')
    .addOption(
      new Option('--from <offset>', 'first offset, earliest or latest (default: earliest)')
        .argParser(parseStart)
        .conflicts('fromTime'),
    )
    .option('--from-time <time>', 'begin at the first record from a time on: ms or an ISO date', parseTime)
    .option('--max-records <n>', 'stop after so many records', parseCount(0))
    .option('--follow', 'wait for more at the end')
    .addOption(
      new Option('--isolation <level>', 'whether records of open and aborted transactions are shown').choices(
        ['uncommitted', 'committed'],
      ),
    )
    .addOption(
      new Option('--format <format>', 'what is printed of a record: %o %t %k %v %h %p %% \\n \\t')
        .argParser(parseFormat)
        .default(parseFormat('%v'), '"%v"')
        .conflicts('json'),
    )
    .action((path: string, flags: Flags) => read(context, path, flags))
}

function parseStart(text: string): Flags['from'] {
  if (text === 'earliest' || text === 'latest') return text
  try {
    return parseInt64(text)
  } catch {
    throw new InvalidArgumentError('It is no offset, and neither earliest nor latest.')
  }
}

async function read(context: Context, path: string, flags: Flags): Promise<void> {
  const interrupt = new AbortController()
  const forget = context.io.onInterrupt(() => interrupt.abort())
  const { signal } = interrupt
  try {
    const write = writer(context, path, flags)
    if (flags.follow === true)
      for await (const record of followRecords(path, flags, readOptions(flags), signal)) await write(record)
    else
      await withLog(path, flags, async (log) => {
        for await (const record of log.read({ ...readOptions(flags), signal })) await write(record)
      })
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    // To interrupt is how following ends.
    if (flags.follow !== true) context.exitCode = EXIT.interrupted
  } finally {
    forget()
  }
}

function readOptions({ from, fromTime, maxRecords, isolation }: Flags): ReadOptions {
  const start = fromTime === undefined ? from : { timestamp: fromTime }
  return {
    ...(start === undefined ? {} : { from: start }),
    ...(maxRecords === undefined ? {} : { maxRecords }),
    ...(isolation === undefined ? {} : { isolation }),
  }
}

/** Awaits only where stdout wants a pause. */
function writer(
  { out, json }: Context,
  path: string,
  { format }: Flags,
): (record: LogRecord) => Promise<void> | undefined {
  if (json) return (record) => out.line(toJson(record))
  const { partition } = topicPartitionOf(path)
  return (record) => {
    let pause: Promise<void> | undefined
    for (const piece of format(record, partition)) pause = out.write(piece) ?? pause
    return pause
  }
}
