/**
 * `plog append`: lines of stdin, or JSON lines as `plog read --json` prints
 * them, become records. Stdin is read no faster than the log takes it.
 */

import { type Command, Option } from 'commander'
import { configFromNames } from '../config/log-config.js'
import { type CodecName, loadCodec, openLog, type PartitionLog } from '../index.js'
import { type Appended, appendBatched, type BatchingOptions } from './append/batches.js'
import { InputRecords } from './append/input-records.js'
import { jsonLine } from './append/json-line.js'
import { keyValueLine } from './append/key-value-line.js'
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
import { byteProgress } from './progress.js'
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
  const { stdin } = context.io
  let interrupted = false
  const forget = context.io.onInterrupt(() => {
    interrupted = true
    stdin.destroy()
  })
  try {
    if (flags.compression !== undefined) await loadCodec(flags.compression)
    const log = await openToAppend(path, flags)
    await appendAndClose(context, log, flags, () => interrupted)
    if (interrupted) context.exitCode = EXIT.interrupted
  } finally {
    forget()
    // Input that is left unread would keep the process waiting for more of it.
    stdin.destroy()
  }
}

async function appendAndClose(
  context: Context,
  log: PartitionLog,
  flags: Flags,
  stopped: () => boolean,
): Promise<void> {
  const appended: Appended = { records: 0, batches: 0, baseOffset: null, lastOffset: null }
  const [appending] = await Promise.allSettled([appendInput(context, log, flags, stopped, appended)])
  const [closing] = await Promise.allSettled([log.close()])
  await tellSummary(context, log, appended)
  for (const ended of [appending, closing]) if (ended.status === 'rejected') throw ended.reason
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
  context: Context,
  log: PartitionLog,
  flags: Flags,
  stopped: () => boolean,
  appended: Appended,
): Promise<void> {
  const parse = flags.input === 'json' ? jsonLine : keyValueLine(flags)
  const { stdin, stdinBytes } = context.io
  const progress = byteProgress(context, 'append', stdinBytes)
  const records = new InputRecords(splitLines(stdin, stopped, progress), parse)
  const { lingerMs, producerId } = flags
  try {
    if (lingerMs !== undefined) await appendLingering(log, records, { ...flags, lingerMs }, appended)
    else await appendBatched(log, records, await batchingOptions(log, flags, producerId), appended)
  } finally {
    progress.end()
  }
  records.throwFault()
}

async function batchingOptions(
  log: PartitionLog,
  flags: Flags,
  producerId: bigint | undefined,
): Promise<BatchingOptions> {
  if (producerId === undefined) return flags
  return { ...flags, producer: { id: producerId, ...(await nextSequence(log, producerId)) } }
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
