/**
 * `plog append`: lines of stdin, or JSON lines as `plog read --json` prints
 * them, become records. Stdin is read no faster than the log takes it.
 */

import { type Command, Option } from 'commander'
import { configFromNames } from '../config/log-config.js'
import { type CodecName, loadCodec, openLog, type PartitionLog } from '../index.js'
import { type Appended, appendBatched, type BatchingOptions } from './append/batches.js'
import { readJsonRecords } from './append/json-records.js'
import { readLineRecords } from './append/line-records.js'
import { splitLines } from './append/lines.js'
import { appendLingering } from './append/lingering.js'
import { nextSequence } from './append/sequence.js'
import {
  type BatchTimes,
  gatherSetting,
  parseBatchTimes,
  parseCodec,
  parseCount,
  parseInt64,
} from './arguments.js'
import { type CommonFlags, type Context, defineCommand } from './context.js'
import { EXIT, UsageError } from './failure.js'
import { toJson } from './json.js'
import { isStandalone } from './targets.js'

interface Flags extends CommonFlags {
  readonly keySeparator?: string
  readonly nullMarker?: string
  readonly batchRecords?: number
  readonly lingerMs?: number
  readonly compression?: CodecName
  readonly timestamp?: BatchTimes
  readonly producerId?: bigint
  readonly config?: readonly (readonly [name: string, value: string])[]
  readonly durable?: boolean
  readonly input?: 'lines' | 'json'
}

export function appendCommand(context: Context): Command {
  return defineCommand('append', 'append the lines of stdin; makes the log where it is not there')
    .argument('<path>', 'directory of the log, named topic-partition')
    .option('--key-separator <text>', 'what is before it in a line is the key; every line must have it')
    .option('--null-marker <text>', 'a key or value that is exactly this becomes null')
    .addOption(new Option('--input <kind>', 'what stdin holds').choices(['lines', 'json']).default('lines'))
    .option(
      '--batch-records <n>',
      'records in a batch (default: what was read at once, up to 16 KiB)',
      parseCount(1),
    )
    .addOption(
      new Option('--linger-ms <ms>', 'gather records for so long into one batch')
        .argParser(parseCount(0, 2 ** 31 - 1))
        .conflicts(['batchRecords', 'producerId']),
    )
    .option(
      '--compression <codec>',
      'none, gzip, snappy, lz4 or zstd (default: what the log is set to)',
      parseCodec,
    )
    .option(
      '--timestamp <ms[+step]>',
      "the records' timestamp; step is added for each batch",
      parseBatchTimes,
    )
    .option(
      '--producer-id <id>',
      "number the batches as this producer's, behind its last one in the log",
      parseInt64,
    )
    .option('--config <name=value>', "setting of a new log, by Kafka's name; may be repeated", gatherSetting)
    .option('--durable', 'have records on disk before more input is read')
    .action((path: string, flags: Flags) => append(context, path, flags))
}

async function append(context: Context, path: string, flags: Flags): Promise<void> {
  checkFlags(flags)
  if (flags.compression !== undefined) await loadCodec(flags.compression)
  const { stdin } = context.io
  const log = await openToAppend(path, flags)
  let interrupted = false
  const forget = context.io.onInterrupt(() => {
    interrupted = true
    stdin.destroy()
  })
  const appended: Appended = { records: 0, batches: 0, baseOffset: null, lastOffset: null }
  const [appending] = await Promise.allSettled([
    appendInput(log, appended, context, flags, () => interrupted),
  ])
  forget()
  // Input that is left unread would keep the process waiting for more of it.
  stdin.destroy()
  const [closing] = await Promise.allSettled([log.close()])
  await tellSummary(context, log, appended)
  for (const ended of [appending, closing]) if (ended.status === 'rejected') throw ended.reason
  if (interrupted) context.exitCode = EXIT.interrupted
}

function checkFlags({ input, keySeparator, nullMarker, lingerMs, timestamp }: Flags): void {
  if (input === 'json' && (keySeparator ?? nullMarker) !== undefined)
    throw new UsageError(
      '--key-separator and --null-marker are for lines; JSON has keys and nulls of its own',
    )
  if (keySeparator === '') throw new UsageError('--key-separator must not be empty')
  if (lingerMs !== undefined && timestamp !== undefined && timestamp.stepMs > 0n)
    throw new UsageError('--timestamp MS+STEP counts batches, whose limits --linger-ms leaves to time')
}

async function openToAppend(path: string, { config, backend }: Flags): Promise<PartitionLog> {
  return openLog(path, {
    standalone: await isStandalone(path),
    ...(config === undefined ? {} : { config: configFromNames(config) }),
    ...(backend === undefined ? {} : { backend }),
  })
}

async function appendInput(
  log: PartitionLog,
  appended: Appended,
  { io: { stdin } }: Context,
  flags: Flags,
  stopped: () => boolean,
): Promise<void> {
  const lines = splitLines(stdin, stopped)
  const records = flags.input === 'json' ? readJsonRecords(lines) : readLineRecords(lines, flags)
  if (flags.lingerMs !== undefined) {
    await appendLingering(log, records, { ...flags, lingerMs: flags.lingerMs }, appended)
    return
  }
  const options: BatchingOptions =
    flags.producerId === undefined
      ? flags
      : { ...flags, producer: { id: flags.producerId, ...(await nextSequence(log, flags.producerId)) } }
  await appendBatched(log, records, options, appended)
}

async function tellSummary(context: Context, log: PartitionLog, appended: Appended): Promise<void> {
  const { records, batches, baseOffset, lastOffset } = appended
  if (context.json) {
    await context.out.line(toJson({ log: log.name, ...appended }))
    return
  }
  const where = records === 0 ? '' : `: offsets ${baseOffset} to ${lastOffset}`
  const inBatches = batches === null ? '' : ` in ${batches} ${batches === 1 ? 'batch' : 'batches'}`
  context.tell(
    `appended ${records} ${records === 1 ? 'record' : 'records'}${inBatches} to ${log.name}${where}`,
  )
}
