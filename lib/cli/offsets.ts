/**
 * `plog offsets`: the offset that belongs to a time or to an end of the log,
 * as kafka-get-offsets prints it.
 */

import { type Command, InvalidArgumentError } from 'commander'
import type { PartitionLogError, ReadOnlyPartitionLog } from '../index.js'
import { parseTime } from './arguments.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { forEachLog } from './each-log.js'
import { describeFailure, fieldsOf } from './failure.js'
import { toJson } from './json.js'
import { topicPartitionOf } from './targets.js'

type Time = 'earliest' | 'latest' | 'max-timestamp' | bigint

/** What kafka-get-offsets takes for the named times too. */
const NUMBERED: Readonly<Record<string, Time>> = { '-1': 'latest', '-2': 'earliest', '-3': 'max-timestamp' }

interface Flags extends CommonFlags {
  readonly time: Time
}

export function offsetsCommand(context: Context): Command {
  return defineCommand('offsets', 'print topic:partition:offset of each log')
    .argument('<path>', 'directory of a log, or a log directory')
    .option(
      '--time <time>',
      'earliest, latest, max-timestamp, or the first record from a time on',
      toTime,
      'latest',
    )
    .addHelpText(
      'after',
      examples('plog offsets data --time earliest', 'plog offsets data/orders-0 --time 2026-11-07T12:00:00Z'),
    )
    .action((path: string, flags: Flags) => offsets(context, path, flags))
}

function toTime(text: string): Time {
  const numbered = NUMBERED[text]
  if (numbered !== undefined) return numbered
  if (text === 'earliest' || text === 'latest' || text === 'max-timestamp') return text
  try {
    return parseTime(text)
  } catch {
    throw new InvalidArgumentError('It is none of earliest, latest, max-timestamp, ms or an ISO date.')
  }
}

async function offsets(context: Context, path: string, flags: Flags): Promise<void> {
  const tell = async (logPath: string, log: ReadOnlyPartitionLog) => {
    const found = await offsetAt(log, flags.time)
    const { topic, partition } = topicPartitionOf(logPath)
    await context.out.line(
      context.json
        ? toJson({ topic, partition, offset: null, ...found })
        : `${topic}:${partition}:${found?.offset ?? ''}`,
    )
  }
  await forEachLog(context, path, flags, tell, (logPath, error) => tellProblem(context, logPath, error))
}

/** As kafka-get-offsets does, an offset that is not known has no line on stdout. */
async function tellProblem(context: Context, logPath: string, error: PartitionLogError): Promise<void> {
  if (context.json) {
    await context.out.line(toJson({ ...topicPartitionOf(logPath), offset: null, error: fieldsOf(error) }))
    return
  }
  await context.out.flush()
  context.io.stderr.write(describeFailure(error, false))
}

async function offsetAt(
  log: ReadOnlyPartitionLog,
  time: Time,
): Promise<{ offset: bigint; timestamp?: bigint } | null> {
  if (time === 'earliest') return { offset: log.offsets.logStartOffset }
  if (time === 'latest') return { offset: log.offsets.highWatermark }
  return time === 'max-timestamp' ? log.offsetForMaxTimestamp() : log.offsetForTimestamp(time)
}
