/**
 * `plog delete-records`: raises the log start offset, as kafka-delete-records
 * does, and prints the new one. Whole segments below it are retention's to
 * take.
 */

import { type Command, InvalidArgumentError } from 'commander'
import { parseInt64 } from './arguments.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { toJson } from './json.js'
import { openToChange, topicPartitionOf } from './targets.js'

interface Flags extends CommonFlags {
  readonly before: bigint
}

export function deleteRecordsCommand(context: Context): Command {
  return defineCommand('delete-records', 'raise the log start offset: records below cannot be read any more')
    .argument('<path>', 'directory of the log')
    .requiredOption('--before <offset>', 'the new log start offset; -1 is the high watermark', parseBefore)
    .addHelpText('after', examples('plog delete-records data/orders-0 --before 100'))
    .action((path: string, flags: Flags) => deleteRecords(context, path, flags))
}

function parseBefore(text: string): bigint {
  if (text === '-1') return -1n
  try {
    return parseInt64(text)
  } catch {
    throw new InvalidArgumentError('It is neither an offset nor -1.')
  }
}

async function deleteRecords(context: Context, path: string, flags: Flags): Promise<void> {
  const log = await openToChange(path, flags)
  let logStartOffset: bigint
  try {
    logStartOffset = await log.deleteRecordsBefore(flags.before)
  } finally {
    await log.close()
  }
  const { topic, partition } = topicPartitionOf(path)
  await context.out.line(
    context.json
      ? toJson({ topic, partition, logStartOffset })
      : `partition: ${topic}-${partition}\tlow_watermark: ${logStartOffset}`,
  )
}
